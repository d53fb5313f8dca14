# OpenBench and tournament managers build with `make EXE=name`: the binary of that name is left here, tuned to this
# processor. Packages that must run elsewhere use `make EXE=name CPU=x86-64` (or -v2, -v3) or plain cargo.
# `make EVALFILE=path` (or FIRSTBORN_EVALFILE in the environment) builds the program around that network instead of
# its own.
EXE ?= firstborn
CPU ?= native
EVALFILE ?= $(FIRSTBORN_EVALFILE)
# The shell takes it from here, with whatever is in the name.
export EVALFILE

.PHONY: all test ci clean install dist
all:
	@test ! -d "$(EXE)" || { echo "EXE=$(EXE) is a folder: give the program another name" >&2; exit 1; }
	case "$$EVALFILE" in ""|/*|[A-Za-z]:*) net="$$EVALFILE";; *) net="$(CURDIR)/$$EVALFILE";; esac; \
	RUSTFLAGS="-C target-cpu=$(CPU)" FIRSTBORN_EVALFILE="$$net" \
	FIRSTBORN_EVALFILE_CHECKSUM="$$(test ! -f "$$net" || cksum < "$$net")" \
	cargo build --release --locked --target-dir target/$(CPU)
	cp "target/$(CPU)/release/firstborn" "$(EXE)"

# For packagers: PREFIX is where it will live (the program in PREFIX/games), DESTDIR where it is put now.
PREFIX ?= /usr/local
ROOT = $(DESTDIR)$(PREFIX)
PLUGINS = $(ROOT)/share/games/plugins

# Installs what `make` has built, and builds only where there is nothing, or CPU= or EVALFILE= is given: root finds no
# cargo where a user has it from rustup. The program itself writes manual pages and completions. Without `install -D`,
# which only GNU has.
install:
	@if test ! -f "$(EXE)" || test "$(origin CPU)" = "command line" || test "$(origin EVALFILE)" = "command line"; then \
		$(MAKE) all; fi
	install -d "$(ROOT)/games" "$(ROOT)/share/man/man6" "$(ROOT)/share/bash-completion/completions"
	install -d "$(ROOT)/share/zsh/site-functions" "$(ROOT)/share/fish/vendor_completions.d"
	install -d "$(PLUGINS)/xboard" "$(PLUGINS)/uci" "$(PLUGINS)/logos"
	install -m755 "$(EXE)" "$(ROOT)/games/firstborn"
	set -e; program="$(EXE)"; case "$$program" in */*) ;; *) program="./$$program";; esac; \
	made=$$(mktemp -d); trap 'rm -rf "$$made"' EXIT; \
	"$$program" man --out "$$made/man"; \
	for shell in bash zsh fish; do "$$program" completions $$shell > "$$made/$$shell"; done; \
	install -m644 "$$made"/man/*.6 "$(ROOT)/share/man/man6"; \
	install -m644 "$$made/bash" "$(ROOT)/share/bash-completion/completions/firstborn"; \
	install -m644 "$$made/zsh" "$(ROOT)/share/zsh/site-functions/_firstborn"; \
	install -m644 "$$made/fish" "$(ROOT)/share/fish/vendor_completions.d/firstborn.fish"
	install -m644 packaging/firstborn-xboard.eng "$(PLUGINS)/xboard/firstborn.eng"
	install -m644 packaging/firstborn-uci.eng "$(PLUGINS)/uci/firstborn.eng"
	install -m644 packaging/firstborn.png "$(PLUGINS)/logos/Firstborn.png"

test:
	cargo test --workspace --locked

ci:
	bash .ci/run

# What is released, in dist/: see tools/dist.sh.
dist:
	tools/dist.sh

clean:
	cargo clean
