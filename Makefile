# `make demo` and `make test` are all that a newcomer needs; `make help` lists the rest.
# Both need Python 3.10 or later with venv and pip; everything else goes into .venv below.

PYTHON ?= python3
BIN := .venv/bin
STEP := $(BIN)/python tools/step.py
PROJECTS := $(wildcard libs/*/pyproject.toml)
comma := ,
GAZEBO ?= optional# or required: then `make test` sets Gazebo up, and fails where it cannot run
# Environments that `make matrix` leaves out; the lowest versions are tried on the oldest Python.
BETWEEN := $(if $(filter all,$(PYTHONS)),,^py3(9|10|11|12)$$)
# Folders of tests that a change of LIB may break: its own, and those of libraries that depend on it.
NAME = $(patsubst deepsim-deepsim%,deepsim%,deepsim-$(LIB))
AFFECTED = $(addsuffix tests,$(sort libs/$(NAME)/ $(dir $(shell grep -l '"$(NAME)[[>=]' libs/*/pyproject.toml))))
DISTRO ?= kilted# of ROS 2, or jazzy
ROS2 := build/ros2$(if $(filter jazzy,$(DISTRO)),-jazzy)
YES ?= $(filter required,$(GAZEBO))# any answer: `make gazebo` installs without asking

# Interpreters that pyenv has but does not put forward; no Python is ever downloaded.
PYENV := $(shell ls -d $${PYENV_ROOT:-$$HOME/.pyenv}/versions/3.*/bin 2>/dev/null | tr '\n' ':')
export UV_PYTHON_DOWNLOADS := never
# LC_ALL=C has no letters beyond ASCII, and Python reads the paths in .venv by the locale.
ifneq ($(filter C POSIX,$(LC_ALL)),)
export LC_ALL := C.UTF-8
endif
# uv looks where pip does: a torch for CPUs there saves the gigabytes of the one for graphics cards.
export UV_FIND_LINKS := $(or $(UV_FIND_LINKS),$(PIP_FIND_LINKS),$(shell "$(PYTHON)" -m pip config get global.find-links 2>/dev/null))
# As pip does, uv works without its cache where that cannot be written.
CACHE := $(shell d=$${UV_CACHE_DIR:-$${XDG_CACHE_HOME:-$$HOME/.cache}/uv}; \
	until test -e "$$d"; do d=$$(dirname "$$d"); done; test -w "$$d" && echo writable)
ifneq ($(CACHE),writable)
export UV_NO_CACHE := 1
endif

# uv first; pip where uv is missing or cannot reach the index that pip is set up to use.
install = { test -x $(BIN)/uv && $(BIN)/uv pip install --python $(or $(2),$(BIN))/python $(1); } \
	|| { echo "uv cannot do it here, pip does (slower)"; $(or $(2),$(BIN))/python -m pip install $(1); }

.NOTPARALLEL:
.PHONY: help demo test fast explore damage robots menagerie scenes warp ros2 sb3 trainers mujoco4 poetry lint types contracts gazebo gazebo-clean gazebo-tidy gazebo-test wheels from-wheels matrix docs versions format clean

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

demo: .venv/libraries ## drive two cars around the racetrack; writes a video and a picture
	@echo "==> [3/3] the demo"
	$(BIN)/deepsim run racetrack --policy pursuit --episodes 3 --width 640 --fps 10
	@echo "==> watch it live in the browser: $(BIN)/deepsim view racetrack --policy pursuit"

test: lint types contracts ## all checks and all tests, on this Python
	@$(STEP) tests $(BIN)/pytest -q --brief -n logical --maxprocesses 8 --dist loadfile
	@if test $(GAZEBO) = required || why=$$($(BIN)/python tools/gazebo check 2>&1); \
	then $(MAKE) gazebo-test; else echo "==> gazebo-test: SKIPPED, $$why"; fi

fast: .venv/tools ## lint, types, contracts and quick tests: a minute; LIB=robots: tests of a library and of those that import it
	@mkdir -p build; $(MAKE) --no-print-directory lint types contracts > build/fast.log 2>&1 & checks=$$!; \
	$(STEP) quick $(BIN)/pytest -q --brief $(if $(LIB),-m 'not slow' -n logical --maxprocesses 8 --dist loadfile $(AFFECTED),-m quick); status=$$?; \
	wait $$checks || status=1; cat build/fast.log; exit $$status

damage: .venv/tools ## 2,000 damaged and hostile files of all kinds, and damaged messages to servers; minutes
	@DEEPSIM_MUTANTS=$(or $(MUTANTS),2000) $(STEP) damage $(BIN)/pytest -q tests/test_damage.py \
		libs/deepsim-transport/tests/test_hostile.py libs/deepsim-envs/tests/ude/test_fuzzing.py

robots: .venv/tools requirements-robots.txt ## the robots of the catalogue from their packages (380 MB)
	@$(call install,--no-deps -r requirements-robots.txt)
	@$(STEP) robots $(BIN)/pytest tests/test_catalogue.py libs/deepsim-robots/tests/test_end_effectors.py

scenes: .venv/tools requirements-scenes.txt ## scenes from scenarios, with Scenic (700 MB)
	@$(call install,-r requirements-scenes.txt)
	@DEEPSIM_SCENIC=required $(STEP) scenes $(BIN)/pytest \
		libs/deepsim-scenes/tests libs/deepsim/tests/test_scenes_command.py libs/deepsim-tasks/tests/test_clutter.py
	@if why=$$($(BIN)/python tools/gazebo check 2>&1); then DEEPSIM_SCENIC=required $(STEP) scenes-gazebo \
		$(BIN)/python tools/gazebo run --no-server -- $(BIN)/pytest tests/gazebo/test_scenes.py --reruns 1; \
	else echo "==> scenes-gazebo: SKIPPED, $$why"; fi

warp: .venv/tools requirements-warp.txt ## MuJoCo Warp (500 MB) on its CPU device: conformance, robots, policies; CASES=few: those of CI
	@$(call install,-r requirements-warp.txt)
	@DEEPSIM_WARP=$(or $(CASES),whole) $(STEP) warp $(BIN)/pytest libs/deepsim-warp/tests tests/warp

ros2: $(ROS2)/installed ## ROS 2 Kilted from the package index (220 MB), or DISTRO=jazzy: builds messages, and tests servers with real clients
	@$(STEP) ros2-messages $(ROS2)/bin/deepsim ros2 messages
	@DEEPSIM_ROS2=required $(STEP) ros2 $(ROS2)/bin/pytest libs/deepsim-ros2/tests tests/test_roads.py

sb3: .venv/tools ## tests of Stable-Baselines3 with torch, in their tox environment: a minute or two
	@PATH="$(CURDIR)/$(BIN):$(PYENV)$$PATH" $(STEP) sb3 tox run -q -c libs/deepsim-train/tox.ini -e py311-sb3

trainers: .venv/tools ## the cart-pole by every trainer, in a table of docs/training.md; minutes. Best beside torch for CPUs
	@$(call install,'torch==2.13.*' deepsim[train] 'deepsim-train[rsl-rl$(comma)torchrl]' \
		'skrl>=2.1$(comma)<3' 'sbx-rl>=0.28$(comma)<0.29')
	@$(STEP) trainers $(BIN)/python benchmarks/trainers.py

explore: .venv/tools ## property tests with examples drawn anew, ten times as many; a failure says how to repeat it
	@set -e; for run in 1 2 3 4 5 6 7 8 9 10; do $(STEP) explore-$$run $(BIN)/pytest -q --brief \
		-m hypothesis --hypothesis-profile random -n logical --maxprocesses 8 --dist loadfile; done

menagerie: .venv/tools ## MENAGERIE_ROOT=FOLDER: robots of MuJoCo Menagerie there load, stand, hold, fly, all beside plain MuJoCo; writes docs/menagerie.md
	@$(call install,--no-deps mujoco-menagerie)
	@$(STEP) menagerie-tests $(BIN)/pytest tests/test_menagerie.py tests/test_menagerie_loads.py
	@$(STEP) menagerie $(BIN)/python benchmarks/menagerie.py

mujoco4: build/mujoco4/installed ## quick tests, deepsim-mujoco and conformance on MuJoCo 4.0.0, which the pin leaves out
	@$(STEP) mujoco4-quick build/mujoco4/bin/pytest -q --brief -m quick
	@$(STEP) mujoco4 build/mujoco4/bin/pytest -q --brief libs/deepsim-mujoco/tests libs/deepsim-conformance/tests

poetry: build/poetry/installed ## `poetry install` and `poetry run pytest` in two libraries, or in LIB
	@set -e; for library in $(or $(LIB),deepsim-fx deepsim-gazebo); \
	do $(STEP) poetry-$$library tests/workspace/poetry build/poetry/bin $$library; done

lint: .venv/tools ## style, and what the libraries say about each other
	@$(STEP) style $(BIN)/ruff check
	@$(STEP) format $(BIN)/ruff format --check
	@$(STEP) workspace $(BIN)/python tools/workspace.py

types: .venv/tools ## mypy: strict over all libraries, and over tests and examples
	@$(STEP) types $(BIN)/mypy

contracts: .venv/tools ## who may import whom
	@PYTHONPATH=libs/deepsim-warp/src $(STEP) contracts $(BIN)/lint-imports --no-logo

gazebo: .venv/libraries ## Gazebo 11 and the plugin (root on Debian; asks; 10 minutes once)
	@$(STEP) gazebo-setup $(BIN)/python tools/gazebo setup $(if $(YES),--yes)
	@$(STEP) gazebo-build $(BIN)/python tools/gazebo build

gazebo-clean: ## remove Gazebo 11 and all that was built in it (3 GB)
	@"$(PYTHON)" tools/gazebo clean

gazebo-tidy: gazebo ## clang-tidy over the plugin; minutes, so no part of `make test`
	@$(STEP) gazebo-tidy $(BIN)/python tools/gazebo tidy

# A test on the live server runs once more where it failed: Gazebo has lost a server now and then.
gazebo-test: gazebo .venv/tools ## the plugin's own checks, and the tests against real gzserver
	@$(STEP) gazebo-plugin $(BIN)/python tools/gazebo test
	@$(STEP) gazebo-python $(BIN)/python tools/gazebo python
	@$(STEP) gazebo-live $(BIN)/python tools/gazebo run --no-server -- \
		$(BIN)/pytest tests/gazebo --reruns 1

wheels: .venv/tools ## build all libraries into dist/: pip install --find-links dist 'deepsim[view]'
	@rm -f dist/deepsim*
	@$(STEP) build $(BIN)/python tools/build.py

from-wheels: wheels ## install each library alone and import it there; then a new user's first commands
	@PATH="$(PYENV)$$PATH"; for python in $(BIN)/python python3.8; \
	do if ! $$python -c '' 2>/dev/null; then echo "==> wheels: SKIPPED on $$python, which is not here"; \
	else $(STEP) wheels tests/workspace/install_alone $(BIN)/uv $$python dist || exit 1; fi; done
	@$(STEP) first-commands $(BIN)/python tests/workspace/first_commands.py $(BIN)/uv $(BIN)/python dist

matrix: .venv/tools ## the tests of each library alone, on its oldest and newest Python; PYTHONS=all: all found
	@mkdir -p build; export PATH="$(CURDIR)/$(BIN):$(PYENV)$$PATH" TOX_SKIP_ENV='$(BETWEEN)'; \
	$(STEP) matrix bash -o pipefail -c "tox run-parallel --parallel auto --parallel-no-spinner \
		--skip-env 'lint|types|contracts' 2>&1 | tee build/matrix.log" \
	|| { echo 'What failed:'; grep -E '^(FAILED|ERROR) .|^ +[^ ]+: FAIL ' build/matrix.log; exit 1; }
	@$(STEP) same-bits $(BIN)/pytest tests/test_same_bits.py

docs: .venv/docs ## the documentation site in build/site; a broken link or an undocumented name fails
	@NO_MKDOCS_2_WARNING=1 $(STEP) docs $(BIN)/mkdocs build

versions: .venv/tools ## LIB=deepsim-btree AGAINST=TAG: names that changed since then (griffe)
	$(BIN)/griffe check $(subst -,_,$(LIB)) --search libs/$(LIB)/src --against $(AGAINST)

format: .venv/tools ## let ruff fix and format what it can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean: ## remove .venv and everything that was built
	rm -rf .venv build dist .tox libs/*/.tox .mypy_cache .pytest_cache .ruff_cache .hypothesis \
		.import_linter_cache

.venv/created:
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || { echo \
		"DeepSim needs Python 3.10 or later, but $(PYTHON) is: `"$(PYTHON)" -V 2>&1`." \
		"Name another one: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	@echo "==> [1/3] an environment in .venv for `"$(PYTHON)" -V`"
	@"$(PYTHON)" -m venv .venv
	@$(BIN)/python -m pip install --disable-pip-version-check uv \
		|| echo "uv cannot be installed here"
	@touch $@

.venv/libraries: .venv/created requirements-demo.txt $(PROJECTS)
	@echo "==> [2/3] the libraries and what they need"
	@$(call install,-r requirements-demo.txt)
	@touch $@

.venv/tools: .venv/libraries requirements-dev.txt
	@echo "==> [3/3] the tools for tests and checks"
	@$(call install,-r requirements-dev.txt)
	@touch $@

# --no-deps: 4.0.0 has a wrong sparse factorisation, so the pin begins again at 4.0.1.
build/mujoco4/installed: .venv/created requirements-demo.txt requirements-dev.txt $(PROJECTS)
	@$(BIN)/python -m venv build/mujoco4
	@$(call install,-r requirements-demo.txt -r requirements-dev.txt,build/mujoco4/bin)
	@$(call install,--force-reinstall --no-deps $(patsubst %,%==4.0.0,mujoco mujoco-core mujoco-studio),build/mujoco4/bin)
	@touch $@

# The wheels of Jazzy are for Python 3.12 alone.
$(ROS2)/installed: .venv/created requirements-ros2.txt $(PROJECTS)
	@PATH="$(PYENV)$$PATH"; $(if $(filter jazzy,$(DISTRO)),python3.12,$(BIN)/python) -m venv $(ROS2)
	@sed 's/ros-kilted-/ros-$(DISTRO)-/' requirements-ros2.txt > $(ROS2)/requirements.txt
	@sed -i 's|^-r |-r $(CURDIR)/|' $(ROS2)/requirements.txt
	@$(call install,-r $(ROS2)/requirements.txt,$(ROS2)/bin)
	@touch $@

build/poetry/installed: .venv/created requirements-poetry.txt
	@$(BIN)/python -m venv build/poetry
	@build/poetry/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-poetry.txt
	@touch $@

.venv/docs: .venv/created requirements-docs.txt
	@$(call install,-r requirements-docs.txt)
	@touch $@
