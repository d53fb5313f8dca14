# OpenBench and tournament managers build with `make EXE=name`: the binary of that name is left here, tuned to this
# processor. Packages that must run elsewhere use `make EXE=name CPU=x86-64` (or -v2, -v3) or plain cargo.
# `make EVALFILE=path` builds the program around that network instead of its own.
EXE ?= firstborn
CPU ?= native
EVALFILE ?=

.PHONY: all test ci clean install dist
all:
	RUSTFLAGS="-C target-cpu=$(CPU)" FIRSTBORN_EVALFILE="$(abspath $(EVALFILE))" cargo build --release --locked --target-dir target/$(CPU)
	cp target/$(CPU)/release/firstborn $(EXE)

# For packagers: PREFIX is where it will live, DESTDIR where it is put now.
PREFIX ?= /usr/local
ROOT = $(DESTDIR)$(PREFIX)
PLUGINS = $(ROOT)/share/games/plugins

install: all
	install -Dm755 $(EXE) $(ROOT)/games/firstborn
	./$(EXE) man --out target/man
	install -d $(ROOT)/share/man/man6 && install -m644 target/man/*.6 $(ROOT)/share/man/man6
	./$(EXE) completions bash > target/firstborn.bash
	./$(EXE) completions zsh > target/_firstborn
	./$(EXE) completions fish > target/firstborn.fish
	install -Dm644 target/firstborn.bash $(ROOT)/share/bash-completion/completions/firstborn
	install -Dm644 target/_firstborn $(ROOT)/share/zsh/site-functions/_firstborn
	install -Dm644 target/firstborn.fish $(ROOT)/share/fish/vendor_completions.d/firstborn.fish
	install -Dm644 packaging/firstborn-xboard.eng $(PLUGINS)/xboard/firstborn.eng
	install -Dm644 packaging/firstborn-uci.eng $(PLUGINS)/uci/firstborn.eng
	install -Dm644 packaging/firstborn.png "$(PLUGINS)/logos/Firstborn.png"

test:
	cargo test --workspace --locked

ci:
	bash .ci/run

# What is released, in dist/: see tools/dist.sh.
dist:
	tools/dist.sh

clean:
	cargo clean
