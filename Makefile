# SPDX-License-Identifier: GPL-2.0-only
# The user's entry: "make help". Kbuild is what the kernel's own build reads.

KDIR ?= /lib/modules/$(shell uname -r)/build
# Parameters of the module for "make load", as in PARAMS="probe=ftrace live_mb=64".
PARAMS ?=
# 1 builds selftests/modules too.
ASITE_SELFTESTS ?=
# The kernels of "make matrix" and "make bench"; all where it is empty.
RELEASES ?=
# Those of "make oracle": they have code tagging.
ORACLE_RELEASES ?= 6.12-tagged 7.3-tagged
# 1 builds the stack depot with eviction: stacks without live objects make room for fresh ones.
EVICT ?=
export ASITE_SELFTESTS EVICT

top := $(CURDIR)
CHECK_RUN := scripts/check/run.sh

.DEFAULT_GOAL := modules
.PHONY: modules load unload dkms-install dkms-uninstall demo deps check check-fast check-unit \
	matrix soak mutations oracle oracle-mutations bench bench-quick bench-model bench-scaling clean help

modules: ## Build module/allocsite.ko for KDIR (default: the running kernel)
	+@scripts/gen-features.sh "$(KDIR)"
	+$(MAKE) -C "$(KDIR)" M="$(top)" modules

load: ## Insert module/allocsite.ko; PARAMS="name=value ..." are its parameters
	@test -e module/allocsite.ko || { \
		echo "load: module/allocsite.ko is not built: run make first" >&2; exit 1; }
	@test -e /proc/modules || { \
		echo "load: this kernel takes no modules (built without CONFIG_MODULES): try make demo, which runs in a virtual machine" >&2; exit 1; }
	insmod module/allocsite.ko $(PARAMS)

unload: ## Remove the module
	rmmod allocsite

dkms-install: ## Build and install the module with DKMS, now and for kernels to come
	@scripts/dkms.sh install

dkms-uninstall: ## Take away what dkms-install installed
	@scripts/dkms.sh uninstall

demo: ## Boot Debian's stock kernel in QEMU, run a workload, show who holds memory
	@scripts/deps.sh demo
	@selftests/demo.sh

check: ## Run everything: static checks, unit tests, tests in virtual machines
	@$(CHECK_RUN) all

check-fast: ## Static checks of less than 5 seconds (also the pre-commit hook)
	@$(CHECK_RUN) fast

check-unit: ## Unit tests of the cores, in user space
	@$(MAKE) -C selftests/unit run

matrix: ## Build for and test in every kernel of scripts/vm/releases.tbl (hours); RELEASES="6.1 7.3"
	@scripts/deps.sh demo
	@scripts/matrix.sh $(RELEASES)

soak: ## 200 loads and unloads, 200 times on and off, all tests on one CPU, a million stacks on each kernel (hours)
	@scripts/deps.sh demo
	@ASITE_CYCLES=200 ASITE_TIMEOUT_FACTOR=20 ASITE_VM_TIMEOUT=14000 \
		selftests/vm-suite.sh 6.1 cycles
	@selftests/vm-suite.sh 6.1 smp1
	@status=0; for release in 5.10 6.1 6.12 7.3; do \
		selftests/vm-suite.sh $$release stacks || status=1; done; exit $$status

mutations: ## Break a copy in known ways: the functional test named for each must fail (an hour)
	@scripts/deps.sh demo
	@selftests/functional-mutations.sh

oracle: ## Compare with code tagging, tag by tag, on kernels that have it; known counts on one without
	@scripts/deps.sh oracle
	@status=0; selftests/oracle/run.sh $(ORACLE_RELEASES) || status=1; \
		selftests/vm-suite.sh 6.12-untagged exact || status=1; exit $$status

oracle-mutations: ## Break a copy in known ways: the oracle must fail on each (half an hour)
	@scripts/deps.sh oracle
	@selftests/oracle/mutations.sh

bench: ## Measure what it costs beside code tagging and others, in QEMU (an hour or more); RELEASES="..."
	@scripts/deps.sh bench
	@selftests/bench/run.sh $(RELEASES)

bench-quick: ## The same of the 6.12 pair of kernels, allocation and free only (5 minutes); RELEASES="..."
	@scripts/deps.sh bench
	@selftests/bench/run.sh --quick $(RELEASES)

bench-model: ## Cache misses and cycles per pair as modelled by a QEMU plugin, 6.12 beside code tagging
	@scripts/deps.sh bench
	@selftests/bench/model.sh

bench-scaling: ## Which lines CPUs share, and pairs in a second on one and two CPUs
	@scripts/deps.sh bench
	@selftests/bench/scaling.sh

deps: ## Install what the other targets need (NO_INSTALL=1: only name it)
	@scripts/deps.sh check demo build bench

# Done without the kernel's build system, so that it works without KDIR.
clean: ## Remove everything a build made
	@rm -rf include/generated Module.symvers modules.order \
		.modules.order.cmd .Module.symvers.cmd .module-common.o .module-common.o.cmd
	@find module $(wildcard selftests) -type f \( -name '*.o' -o -name '*.ko' -o -name '*.a' \
		-o -name '*.mod' -o -name '*.mod.c' -o -name '*.symtypes' \
		-o -name '.*.cmd' -o -name '.*.d' -o -name 'modules.order' \
		-o -name 'Module.symvers' \) -delete
	@rm -f selftests/testbuild/*.[cS]
	@if test -e selftests/unit/Makefile; then $(MAKE) -s -C selftests/unit clean; fi
	@rm -rf selftests/bench/plugin/build

help: ## Show this
	@echo "allocsite: which line of kernel code holds how much memory"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | \
		awk -F'|' '{ printf "%-22s %s\n", $$1, $$2 }'
	@echo
	@echo "make alone is \"make modules\". Variables:"
	@echo "  KDIR=DIR           kernel build tree (now $(KDIR))"
	@echo "  PARAMS=...         module parameters for load"
	@echo "  ASITE_SELFTESTS=1  build the test modules too"
	@echo "  EVICT=1            stack depot with eviction"
	@echo "  RELEASES=...       kernels for matrix and bench, of scripts/vm/*.tbl"
	@echo "  W=1 C=2 V=1 LLVM=1 as in the kernel's own build"
