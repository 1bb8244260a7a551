# One driver for people and CI. `make demo` and `make test` do the set-up themselves.
.PHONY: help setup build demo test lint bench corpus conformance kill strategies fuzz clean

help:            ## what can be made
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*##/\t/' | expand -t 12

setup:           ## install what is needed (JDK, libz3, Maven, JUnit)
	@scripts/setup

build: setup     ## the release binary, target/release/testwright
	cargo build --release -p testwright-cli

demo: build      ## generate, run and measure tests for a real example
	@scripts/demo

lint: setup      ## formatting, clippy, rustdoc
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --workspace --no-deps --document-private-items -q

test: setup lint ## everything that CI runs
	cargo test --workspace -q

bench: build     ## ratios and rates, the design's figures beside them
	@scripts/bench

corpus: build    ## tests for classes of real libraries (CORPUS='--time 10 IntMath' for a few), docs/corpus.md
	@scripts/corpus $(CORPUS)

kill: setup      ## kill an exploration a hundred times and continue it
	KILLS=100 cargo test --release -q -p testwright-cli --test kill

strategies: build ## compare the search strategies over the fixtures, writes docs/strategies.svg
	cargo bench -q -p testwright-engine --bench strategies

fuzz: setup      ## a minute of fuzzing of each parser of foreign bytes
	@scripts/fuzz

conformance: setup ## the platform's methods in our VM and in the JVM, writes docs/conformance.md (about half an hour)
	cargo run --release -p testwright-jvm --example conformance -- --doc docs/conformance.md --notes target/conformance.txt

clean:
	cargo clean
