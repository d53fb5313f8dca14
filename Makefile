# OpenBench and tournament managers build with `make EXE=name`: the binary of that name is left here, tuned to this
# processor. Packages that must run elsewhere use `make EXE=name CPU=x86-64` (or -v2, -v3) or plain cargo.
EXE ?= firstborn
CPU ?= native

.PHONY: all test ci clean
all:
	RUSTFLAGS="-C target-cpu=$(CPU)" cargo build --release --locked --target-dir target/$(CPU)
	cp target/$(CPU)/release/firstborn $(EXE)

test:
	cargo test --workspace --locked

ci:
	bash .ci/run

clean:
	cargo clean
