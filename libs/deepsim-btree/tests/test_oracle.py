# SPDX-License-Identifier: Apache-2.0
"""Random trees do what an oracle made of generators does."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepsim_btree as bt

CALLS = st.lists(st.sampled_from(["tick"] * 5 + ["halt"]), min_size=1, max_size=12)


class Oracle:
    """Runs a spec with one generator per run of a node: it yields when RUNNING, returns the end.

    Memory, restarts and halts come from Python itself: local variables, new generators, close().
    """

    def __init__(self, spec, log):
        self.log = log
        self.once = {}
        numbers = itertools.count()

        def number(spec):
            kind, argument, children = spec
            if kind == "leaf":
                return kind, (str(next(numbers)), itertools.cycle(argument)), ()
            return kind, argument, tuple(number(child) for child in children)

        self.spec = number(spec)
        self.root = None

    def tick(self):
        if self.root is None:
            self.root = self.run(self.spec)
        answer = self.step(self.root)
        if answer != "R":
            self.root = None
        return answer

    def halt(self):
        if self.root is not None:
            self.root.close()
            self.root = None

    def run(self, spec):
        kind, argument, children = spec
        if kind == "leaf":
            return self.leaf(*argument)
        if kind in ("Sequence", "Selector"):
            return self.serial("S" if kind == "Sequence" else "F", children)
        if kind in ("ReactiveSequence", "ReactiveSelector"):
            return self.reactive("S" if kind == "ReactiveSequence" else "F", children)
        if kind in ("IfThenElse", "WhileDoElse"):
            return getattr(self, kind.lower())(*children)
        if kind == "Parallel":
            return self.parallel(*argument, children)
        if kind == "ParallelSequence":
            return self.parallel(len(children), 1, argument, children)
        if kind == "ParallelSelector":
            return self.parallel(1, len(children), argument, children)
        return getattr(self, kind.lower(), self.mapped)(spec)

    @staticmethod
    def step(generator):
        try:
            next(generator)
        except StopIteration as stop:
            return stop.value
        return "R"

    def leaf(self, name, script):
        self.log.append((name, "start"))
        end = "I"
        try:
            for letter in script:
                self.log.append((name, letter))
                if letter != "R":
                    end = letter
                    return letter
                yield
        finally:
            self.log.append((name, f"end {end}"))

    def serial(self, go_on, children):
        for child in children:
            answer = yield from self.run(child)
            answer = "F" if answer == "I" else answer
            if answer != go_on:
                return answer
        return go_on

    def reactive(self, go_on, children):
        running, generator = None, None
        try:
            while True:
                for child in children:
                    fresh = child is not running
                    current = self.run(child) if fresh else generator
                    answer = self.step(current)
                    if not fresh and answer != "R":
                        running, generator = None, None
                    answer = "F" if answer == "I" else answer
                    if answer != go_on:
                        break
                else:
                    return go_on
                if answer != "R":
                    return answer
                if fresh:
                    if generator is not None:
                        generator.close()
                    running, generator = child, current
                yield
        finally:
            if generator is not None:
                generator.close()

    def parallel(self, success, failure, eager, children):
        count = len(children)
        success = success if success >= 0 else count + 1 + success
        failure = failure if failure >= 0 else count + 1 + failure
        running = {index: self.run(child) for index, child in enumerate(children)}
        ended = []
        try:
            while True:
                for index in list(running):
                    answer = self.step(running[index])
                    if answer != "R":
                        ended.append(answer)
                        del running[index]
                    if eager and self.outcome(count, success, failure, ended) is not None:
                        break
                outcome = self.outcome(count, success, failure, ended)
                if outcome is not None:
                    return outcome
                yield
        finally:
            for generator in running.values():
                generator.close()

    @staticmethod
    def outcome(count, success, failure, ended):
        good = ended.count("S")
        bad = len(ended) - good
        if good >= success:
            return "S"
        return "F" if bad >= failure or bad > count - success else None

    def ifthenelse(self, condition, then, otherwise=None):
        answer = yield from self.run(condition)
        branch = then if answer == "S" else otherwise
        answer = "F" if branch is None else (yield from self.run(branch))
        return "F" if answer == "I" else answer

    def whiledoelse(self, condition, then, otherwise=None):
        asking, branch, doing = None, None, None
        try:
            while True:
                asking = asking or self.run(condition)
                answer = self.step(asking)
                if answer != "R":
                    asking = None
                    chosen = then if answer == "S" else otherwise
                    if chosen is not branch and doing is not None:
                        doing.close()
                    if chosen is None:
                        return "F"
                    if chosen is not branch:
                        branch, doing = chosen, self.run(chosen)
                    answer = self.step(doing)
                    if answer != "R":
                        return "F" if answer == "I" else answer
                yield
        finally:
            for generator in (asking, doing):
                if generator is not None:
                    generator.close()

    def mapped(self, spec):
        kind, argument, (child,) = spec
        table = {
            "SubTree": "",
            "Inverter": "S>F F>S",
            "Succeeder": "F>S I>S",
            "UntilFail": "S>R F>S I>R",
            "RunningIsFailure": "R>F",
            "RunningIsSuccess": "R>S",
            "FailureIsSuccess": "F>S",
            "FailureIsRunning": "F>R",
            "SuccessIsFailure": "S>F",
            "SuccessIsRunning": "S>R",
        }
        if kind == "Condition":
            target, otherwise = argument
            rules = dict.fromkeys("SFRI", otherwise)
            rules[target] = "S"
        else:
            rules = dict(rule.split(">") for rule in table[kind].split())
        generator = self.run(child)
        try:
            while True:
                answer = self.step(generator)
                translated = rules.get(answer, answer)
                if translated != "R":
                    return translated
                yield
                if answer != "R":
                    generator = self.run(child)
        finally:
            generator.close()

    def runonce(self, spec):
        if id(spec) not in self.once:
            self.once[id(spec)] = yield from self.run(spec[2][0])
        return self.once[id(spec)]

    def limit(self, spec):
        generator = self.run(spec[2][0])
        try:
            for _ in range(spec[1]):
                answer = self.step(generator)
                if answer != "R":
                    return answer
                yield
            return "F"
        finally:
            generator.close()

    def repeater(self, spec):
        answer = "S"
        for number in range(spec[1]):
            if number:
                yield
            answer = yield from self.run(spec[2][0])
        return "S" if answer == "S" else "F"

    def retry(self, spec):
        for number in range(spec[1]):
            if number:
                yield
            if (yield from self.run(spec[2][0])) == "S":
                return "S"
        return "F"


@pytest.fixture(scope="session")
def sound(specs):
    """Specs of trees whose leaves raise nothing."""
    return specs()


@settings(max_examples=400, deadline=None)
@given(data=st.data(), calls=CALLS)
def test_trees_agree_with_the_oracle(sound, build, data, calls):
    """Answers, and every start, update and end of every leaf in order, are the oracle's."""
    spec = data.draw(sound)
    log, oracle_log = [], []
    tree = bt.Tree(build(spec, log))
    oracle = Oracle(spec, oracle_log)
    for call in calls:
        if call == "halt":
            tree.halt()
            oracle.halt()
        else:
            assert tree.tick().name[0] == oracle.tick()
        assert log == oracle_log
    oracle.halt()
