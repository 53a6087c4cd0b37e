"""``mercer bench solvers``: what it says and what it draws."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from sklearn.datasets import load_diabetes

from mercer import Smo
from mercer.cli.commands.bench_solvers import parse_solver


def test_without_a_file_it_compares_on_breast_cancer(mercer):
    output = mercer("bench", "solvers", "--permutations", 2).output
    for words in (
        "569 rows, 1 against -1",
        "2 orders",
        "iterations",
        "objective",
        "smo",
        "chunked",
    ):
        assert words in output
    assert output.count("100%") == 2
    assert os.listdir() == []


def test_policies_and_baselines(mercer):
    names = ["second-order", "planning-ahead", "most-violating/momentum", "svmlight", "platt"]
    chosen = [word for name in names for word in ("--solver", name)]
    output = mercer("bench", "solvers", *chosen, "--permutations", 1, "--cache-size", 0.02).output
    assert output.count("100%") == len(names)
    assert output.count("59.7613") == len(names)


def test_more_classes_regression_and_outliers(mercer, iris_csv):
    load_diabetes(as_frame=True).frame.to_csv("numbers.csv", index=False)
    quick = ("--permutations", 1, "--solver", "smo")
    assert (
        "against others"
        in mercer("bench", "solvers", iris_csv, "--target", "species", *quick).output
    )
    assert "epsilon = 0.1" in mercer("bench", "solvers", "numbers.csv", *quick).output
    assert "nu = 0.05" in mercer("bench", "solvers", "--task", "outliers", *quick).output


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("html", b"<!doctype html>")])
def test_the_picture(mercer, suffix, start):
    quick = ("--permutations", 1, "--solver", "smo")
    output = mercer("bench", "solvers", *quick, "--plot", f"runs.{suffix}").output
    assert f"drawn to runs.{suffix}" in output
    content = Path(f"runs.{suffix}").read_bytes()
    assert content.startswith(start)
    assert suffix == "png" or b"image/svg+xml" in content


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--solver", "magic"], "--solver must be one of"),
        (["--solver", "greedy/magic"], "step must be one of"),
        (["--plot", "runs.txt"], "--plot must end in one of"),
        (["--plot", "no/runs.png"], "--plot: there is no directory no"),
        (["--solver", "direct"], "least squares"),
        (["--cache-size", "0"], "cache_size must be a positive number"),
    ],
)
def test_what_cannot_be_done_is_said(mercer, arguments, message):
    assert message in mercer("bench", "solvers", *arguments, code=1).output


def test_names_of_solvers():
    assert parse_solver("smo") == Smo()
    assert parse_solver("greedy") == Smo(selection="greedy", step="newton", refine=False)
    planned = Smo(selection="second-order", step="planning-ahead", refine=False)
    assert parse_solver("planning-ahead") == planned
    both = Smo(selection="auto", step="momentum", refine=False)
    assert parse_solver("auto/momentum") == both
    assert parse_solver("auto").name == "auto"


def test_json_holds_the_medians_of_every_solver(mercer):
    options = ["--solver", "smo", "--solver", "chunked", "--permutations", 2, "--json"]
    run = mercer("bench", "solvers", *options)
    found = json.loads(run.stdout)
    assert found["schema"] == "mercer.comparison/1"
    assert [own["solver"] for own in found["solvers"]] == ["smo", "chunked"]
    assert found["solvers"][0]["p_iterations"] is None
    assert found["solvers"][1]["iterations"] > 0
