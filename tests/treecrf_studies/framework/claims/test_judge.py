"""The ledger of claims, on planted results whose verdicts are known."""

import json
import shutil
from importlib import import_module
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from builders import ROOT
from planted_claims import (
    CHAPTER_3,
    FB,
    IMPUTATION,
    INDICATOR,
    RATES,
    SURROGATES,
    VITERBI,
    WEIGHTING,
    against_others,
    plant,
    plant_accuracies,
    plant_coefficients,
    plant_comparisons,
    plant_curves,
    plant_frequencies,
    plant_larger,
    plant_steps,
    plant_variants,
)
from planted_predictions import RULES, choice_of, predictions
from planted_summary import outcome
from planted_verdicts import DOWN, PLANTED, SAME, UP, coefficients, pairs, plant_growth, shrinkage, straight

from treecrf.io.files import write_frame
from treecrf_studies.framework.claims.judge import Results
from treecrf_studies.framework.claims.rows import LARGER, check_claim
from treecrf_studies.framework.jobs import JobContext
from treecrf_studies.future.jobs import one_directional_example
from treecrf_studies.missing.summary import analyse
from treecrf_studies.report.ledger import claim_rows, verdicts
from treecrf_studies.training.summary import compare


def find(folder, claim):
    """The finding on a claim."""
    row = next(row for row in claim_rows() if row["id"] == claim)
    return check_claim(row, row["study"].module("claims"), Results(folder))


# --- every claim, every verdict ---------------------------------------------------------------------


@pytest.mark.parametrize(("claim", "verdict"), [(claim, verdict) for claim in PLANTED for verdict in PLANTED[claim]])
def test_planted_results_have_their_verdict(tmp_path, claim, verdict):
    PLANTED[claim][verdict](tmp_path)
    finding = find(tmp_path, claim)
    assert finding.verdict == verdict, finding
    assert finding.numbers
    assert finding.test
    assert finding.datasets
    assert (finding.explanation == "") == (finding.verdict in ("replicated", "checked"))


@pytest.mark.parametrize(("n_above", "verdict"), [(6, "replicated"), (3, "partly"), (2, "not replicated")])
def test_a_claim_without_verdict_says_what_its_check_would(tmp_path, n_above, verdict):
    plant_steps(tmp_path, *[2001.0] * n_above, *[2000.0] * (6 - n_above))
    assert find(tmp_path, "P5.12").explanation.endswith(f"The check itself would say: {verdict}.")


@pytest.fixture(scope="module")
def with_results_of_others(tmp_path_factory):
    """Makes a folder with the results of all claims but those that read the same files; claims with the same others
    share it.
    """
    folders, each = {}, tmp_path_factory.mktemp("each")
    for claim, plants in PLANTED.items():
        next(iter(plants.values()))(each / claim)

    def plant(claim):
        others = []
        for other in PLANTED:
            shared = {other[0], claim[0]} == {"P", "I"} or {other, claim} <= {"M8", "M15", "M16"}  # figure 5.3
            if other[:2] != claim[:2] and not shared:
                others.append(other)
        if tuple(others) not in folders:
            folders[tuple(others)] = folder = tmp_path_factory.mktemp("others")
            for other in others:
                shutil.copytree(each / other, folder, dirs_exist_ok=True)
        return folders[tuple(others)]

    return plant


@pytest.mark.parametrize("claim", PLANTED)
def test_a_claim_looks_at_results_of_its_own_only(with_results_of_others, claim):
    assert find(with_results_of_others(claim), claim).verdict == "not_run"


def test_every_claim_is_checked():
    rows = claim_rows()
    assert {row["id"] for row in rows} == set(PLANTED)
    assert len(rows) == len({row["id"] for row in rows})


def test_every_study_is_in_the_ledger():
    written = {file.parent.name for file in (ROOT / "src/treecrf_studies").glob("*/claims.yaml")}
    assert {row["study"].name for row in claim_rows()} == written


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"kind": "best"}, "claim X: there is no kind 'best'; choose one of better, outcome, not_worse"),
        ({"measure": "speed"}, "claim X: treecrf_studies.training.claims has no function 'speed'"),
        ({"sum_up": "count"}, "claim X: treecrf_studies.training.claims has no function 'count'"),
    ],
)
def test_a_row_with_a_wrong_name_is_an_error(tmp_path, row, message):
    module = import_module("treecrf_studies.training.claims")
    straight(1)(tmp_path)
    rest = {
        "id": "X",
        "datasets": ["protein"],
        "measure": "growth_with_iterations",
        "kind": "at_least",
        "bound": 1,
        "test": "t",
    }
    with pytest.raises(ValueError, match=message):
        check_claim({**rest, **row}, module, Results(tmp_path))


# --- what decides -----------------------------------------------------------------------------------


def test_a_data_set_beyond_the_quorum_counts_neither_way(tmp_path):
    pairs("treecrf", "mallet_linear", protein=UP, nettalk=UP, hyphen=UP, faq_ai_general=UP, faq_ai_neural=UP)(tmp_path)
    finding = find(tmp_path, "P3.5")
    assert finding.verdict == "not_run"
    assert finding.explanation == (
        "Not run: the claim needs 6 data sets, and the run has protein, nettalk, hyphen, faq_ai_general and "
        "faq_ai_neural alone. It has no comparisons.csv (study training) for faq_aix."
    )
    for dataset in CHAPTER_3[:4]:
        plant_curves(tmp_path, dataset, jump=1.0)
    assert find(tmp_path, "P3.7").verdict == "not_run"
    plant_curves(tmp_path, CHAPTER_3[4], jump=0.1)
    finding = find(tmp_path, "P3.7")
    assert finding.verdict == "replicated"  # four of five are two thirds
    assert finding.numbers.endswith("not run: faq_aix")


def test_times_whose_interval_contains_the_threshold_are_undecided(tmp_path):
    for dataset in CHAPTER_3:
        plant_growth(tmp_path, dataset, 1.2, half_width=0.04)
    assert find(tmp_path, "P3.8").verdict == "replicated"
    plant_growth(tmp_path, "protein", 1.2, half_width=0.06)
    finding = find(tmp_path, "P3.8")
    assert finding.verdict == "undecided"
    assert finding.explanation.endswith(": protein: slope 1.200 (95 % interval 1.140 to 1.260).")


def test_seconds_that_grow_faster_than_iterations_are_not_linear(tmp_path):
    """A straight line through t^1.3 has R^2 above 0.99."""
    for dataset in CHAPTER_3:
        plant_growth(tmp_path, dataset, 1.3)
    assert find(tmp_path, "P3.8").verdict == "not_replicated"


def test_published_differences_stand_beside_measured_ones(tmp_path):
    pairs("treecrf", "induced_crf", nettalk=(0.9, 0.04))(tmp_path)
    finding = find(tmp_path, "P3.4")
    tests = "by the paper's test p = 0.500, by the sequence-level test p = 0.040"
    assert (
        finding.numbers
        == f"✗ nettalk: CRF with induction −0.90 points against TreeCRF ({tests}, 90 % interval −1.19 to −0.61)"
    )
    assert finding.explanation == (
        f"Here CRF with induction is 0.90 points worse than TreeCRF on nettalk ({tests}, published +0.74 points at the "
        "peaks)."
    )


def test_the_valid_test_decides_and_not_the_papers(tmp_path):
    pair = ("treecrf", "mallet_linear", 5.0)
    for dataset in CHAPTER_3:
        plant_comparisons(tmp_path, dataset, (*pair, 0.2), papers_p=1e-9)
    finding = find(tmp_path, "P3.5")
    assert finding.verdict == "undecided"
    assert (
        "protein: TreeCRF +5.00 points against MALLET (no induction) (by the paper's test p < 0.001, by the "
        "sequence-level test p = 0.200, " in (finding.numbers)
    )


def test_a_large_p_is_no_sign_of_equality(tmp_path):
    for dataset in ("protein", "hyphen", "faq_ai_neural", "faq_aix"):
        plant_comparisons(tmp_path, dataset, ("treecrf", "induced_crf", 0.1, 0.9), half_width=3.0)
    finding = find(tmp_path, "P3.2")
    assert finding.verdict == "replicated"  # the sentence says no more than that no difference is significant
    assert [(name, part.verdict) for name, part in finding.beside] == [
        ("equivalent within 0.5 points (ours)", "undecided")
    ]


def test_finding_no_difference_at_all_does_not_replicate_a_count_of_differences(tmp_path):
    shrinkage(*[(0.5, 0.5)] * 12)(tmp_path)
    finding = find(tmp_path, "P3.1")
    assert "better in 0 of 12 comparisons and worse in 0" in finding.numbers
    assert finding.verdict == "undecided"


def test_a_finding_of_blocks_alone_says_so(tmp_path):
    plant_comparisons(tmp_path, "faq_ai_general", ("treecrf", "mallet", 1.0, 0.0005), test="blocks")
    finding = find(tmp_path, "P3.3")
    assert finding.verdict == "replicated"
    assert "p < 0.001 over blocks of lines of these documents, 90 % interval +0.71 to +1.29)" in finding.numbers


def test_peaks_are_judged_at_the_peaks(tmp_path):
    """At the cross-validated choice they differ."""
    PLANTED["I1"]["replicated"](tmp_path)
    rows = [("treecrf", "induced_crf", *DOWN, FB), ("treecrf", "neural_network", *DOWN, FB)]
    plant_comparisons(tmp_path, "protein", *rows, ("induced_crf", "neural_network", *DOWN, FB))
    assert find(tmp_path, "I1").verdict == "replicated"
    (tmp_path / "training/protein/peak_comparisons.csv").unlink()
    assert find(tmp_path, "I1").verdict == "not_run"


def test_differences_are_also_averaged_as_published_ones(tmp_path):
    """Over documents, of all trainings where there are several; not shown where the test averages so too."""
    pairs("treecrf", "induced_crf", faq_ai_general=(0.9, 0.04), nettalk=(0.9, 0.04))(tmp_path)
    for dataset, mean in (("faq_ai_general", 93.5), ("nettalk", 91.4)):
        rows = outcome(dataset, "treecrf", choice=mean), outcome(dataset, "induced_crf", choice=90.5)
        plant(pd.concat(rows), tmp_path, "training", dataset, "summary")
    (general,), (nettalk,) = (find(tmp_path, claim).observations for claim in ("P3.3", "P3.4"))
    assert general.measured.alike == pytest.approx(3.0)
    assert nettalk.measured.alike is None


def test_larger_samples_judge_every_claim_that_names_one(tmp_path):
    """Forward-backward is the only decoder there; a method that was not run leaves its claims without this verdict."""
    methods = ("treecrf", "treecrf_original", "mallet", "mallet_linear", "neural_network")
    of = {
        "protein": "protein_folds",
        "nettalk": "nettalk_all",
        "hyphen": "hyphen_folds",
        "faq_ai_general": "faq_mccallum",
    }
    for dataset, sample in of.items():
        plant_larger(tmp_path, dataset, sample, *[(*pair, 1.0, 1e-4) for pair in combinations(methods, 2)])
    rows = {row["id"]: row for row in claim_rows() if row["study"].name == "training" and "larger" in row}
    found = {
        name: check_claim(row, row["study"].module("claims"), Results(tmp_path), LARGER).verdict
        for name, row in rows.items()
    }
    assert found == {
        "P3.1": "replicated",
        "P3.2": "not_replicated",
        "P3.3": "replicated",
        "P3.4": "not_replicated",
        "P3.5": "replicated",
        "P3.6": "not_replicated",
        "P3.11": "not_replicated",
        "P3.12": "replicated",
        "P3.13": "not_replicated",
        "I1": "partly",
    }


def test_seconds_that_were_measured_once_decide_nothing(tmp_path):
    for dataset, seconds in zip(CHAPTER_3[:3], (40.0, 2.0, 0.5), strict=True):
        spent = {"mallet": seconds, "treecrf": 1.0}
        rows = [outcome(dataset, method).assign(cpu_seconds=taken) for method, taken in spent.items()]
        plant(pd.concat(rows), tmp_path, "training", dataset, "summary")
    finding = find(tmp_path, "P3.14")
    assert finding.verdict == "undecided"
    assert "protein: MALLET 40.0 s and TreeCRF 1.00 s to the peak, ratio 40.0 (measured once)" in finding.numbers
    assert [each.measured.published for each in finding.observations] == pytest.approx([1.875, 2.071, 1.694], abs=0.001)


def test_mallet_is_feature_induction_where_it_was_run(tmp_path):
    plant_comparisons(tmp_path, "nettalk", ("treecrf", "induced_crf", *UP), ("treecrf", "mallet", *DOWN))
    finding = find(tmp_path, "P3.4")
    assert finding.verdict == "replicated"
    assert "MALLET +1.00 points" in finding.numbers


def test_the_neural_network_must_have_been_run(tmp_path):
    rows = [("treecrf", "induced_crf", *SAME, FB), ("treecrf", "neural_network", *UP, FB)]
    plant_comparisons(tmp_path, "protein", *rows, frame="peak_comparisons")
    assert find(tmp_path, "I1").verdict == "not_run"


def test_peaks_stand_in_the_numbers(tmp_path):
    PLANTED["I1"]["replicated"](tmp_path)
    peaks = {(FB, "treecrf"): 64.5, (FB, "induced_crf"): 64.4, (VITERBI, "treecrf"): 1.0, (VITERBI, "induced_crf"): 1.0}
    rows = [outcome("protein", method, decoder, peak=peak) for (decoder, method), peak in peaks.items()]
    plant(pd.concat(rows), tmp_path, "training", "protein", "summary")
    assert "peaks TreeCRF 64.50 %, CRF with induction 64.40 %" in find(tmp_path, "I1").numbers


def test_a_coefficient_without_a_maximum_is_shown_with_the_likelihood_ratio(tmp_path):
    coefficients("nettalk", WEIGHTING, 12)(tmp_path)
    path = tmp_path / "missing/nettalk/papers_comparisons.csv"
    frame = pd.read_csv(path)
    first = (frame["rate"] == RATES[0]) & (frame["method"] == SURROGATES)
    frame.loc[first, ["coefficient", "papers_p", "likelihood_ratio_p_value"]] = [-np.inf, np.nan, 0.01]
    write_frame(frame, path)
    finding = find(tmp_path, "P4.2")
    assert finding.verdict == "replicated"
    assert (
        "nettalk 5%, instance weighting +0.10 points against surrogate splitting (p = 0.049 by the sequence-level test "
        "with Holm’s correction, 90 % interval without correction −0.90 "
        "to +1.10; log odds +inf, p = 0.010 by the paper's test)" in finding.numbers
    )


@pytest.mark.parametrize(
    ("claim", "dataset", "baseline", "rates"),
    [
        ("P4.1", "protein", WEIGHTING, RATES),
        ("P4.2", "nettalk", WEIGHTING, RATES),
        ("P4.3", "hyphen", WEIGHTING, (0.2, 0.4)),
        ("P4.4", "faq_ai_general", IMPUTATION, (0.1, 0.4)),
    ],
)
def test_the_papers_test_alone_replicates_no_claim_about_missing_values(tmp_path, claim, dataset, baseline, rates):
    undecided = against_others(0, rates, baseline, otherwise=(-0.1, 0.2))
    plant_coefficients(tmp_path, dataset, baseline, undecided, paper=(1, 1e-9))
    finding = find(tmp_path, claim)
    assert finding.verdict == "undecided"
    assert "p = 0.200 by the sequence-level test" in finding.numbers
    assert "p < 0.001 by the paper's test" in finding.numbers


def test_a_comparison_without_a_valid_test_is_not_significant(tmp_path):
    plant_coefficients(
        tmp_path, "protein", WEIGHTING, against_others(12, RATES, WEIGHTING) | {(0.4, IMPUTATION): (0.1, np.nan)}
    )
    finding = find(tmp_path, "P4.1")
    assert [each.is_decided for each in finding.observations].count(False) == 1
    assert "no sequence-level test" in finding.numbers


def test_blocks_of_one_document_are_named_in_the_ledger(tmp_path):
    coefficients("faq_ai_general", IMPUTATION, 6, (0.1, 0.4))(tmp_path)
    path = tmp_path / "missing/faq_ai_general/papers_comparisons.csv"
    write_frame(pd.read_csv(path).assign(cluster="block"), path)
    assert (
        "by the sequence-level test with Holm’s correction on other lines of the same documents"
        in find(tmp_path, "P4.4").numbers
    )


@pytest.mark.parametrize("claim", ["P4.1", "P4.2", "P4.3", "P4.4", "P4.5"])
def test_a_claim_about_several_rates_is_not_judged_by_one(tmp_path, claim):
    PLANTED[claim]["replicated"](tmp_path)
    name = "evaluations" if claim == "P4.5" else "papers_comparisons"
    (path,) = tmp_path.glob(f"missing/*/{name}.csv")
    write_frame(pd.read_csv(path).query("rate == 0.4"), path)
    assert find(tmp_path, claim).verdict == "not_run"


def test_a_claim_about_four_orders_is_not_judged_by_two(tmp_path):
    for dataset in ("xor", "xor_full"):
        plant_variants(tmp_path, dataset, ("crf_2", "crf_1", 0.1))
    assert find(tmp_path, "P5.3").verdict == "not_run"


def test_a_limit_beside_a_claim_does_not_decide_it(tmp_path):
    """Every CRF stays at 50 %, below the 60 % of a former rule; significant gains refute the sentence."""
    for dataset in ("xor", "xor_full"):
        plant_variants(tmp_path, dataset, *[(f"crf_{k}", "crf_1", 2.0, 0.01) for k in (2, 3, 4)])
    finding = find(tmp_path, "P5.3")
    assert finding.verdict == "not_replicated"
    assert {name: each.verdict for name, each in finding.beside} == {
        "equivalent within 0.5 points": "not_replicated",
        "no CRF above 60 %": "replicated",
        "no order gains more than 3 points": "replicated",
    }


def test_draws_that_vary_are_not_decided_by_mcnemar(tmp_path):
    rows = [("ff_memm_1 (bag 2)", other, 2.2, 0.217) for other in ("memm_1", "crf_1")]
    plant_variants(tmp_path, "nettalk_binary", *rows, papers_p=1e-9)
    finding = find(tmp_path, "P5.5")
    assert finding.verdict == "undecided"
    tests = "(by the paper's test median p < 0.001, by the sequence-level test p = 0.217, 95 % interval +1.80 to +2.60)"
    assert f"FF-MEMM-1 (bag 2) +2.20 points against MEMM-1 {tests}" in finding.numbers


def test_a_single_draw_has_no_valid_test(tmp_path):
    rows = [("ff_memm_1 (bag 2)", other, 3.0, np.nan) for other in ("memm_1", "crf_1")]
    plant_variants(tmp_path, "nettalk_binary", *rows, ("crf_2", "crf_1", 3.1, np.nan))
    assert find(tmp_path, "P5.5").verdict == "undecided"
    assert "no sequence-level test" in find(tmp_path, "P5.5").numbers
    assert find(tmp_path, "P5.6").verdict == "undecided"


def test_two_equally_inaccurate_methods_are_not_the_least_accurate_one(tmp_path):
    plant_accuracies(tmp_path, 4, tie=True)
    finding = find(tmp_path, "P4.8")
    assert finding.verdict == "not_replicated"
    assert "two methods are the least accurate on protein" in finding.explanation


# --- data sets --------------------------------------------------------------------------------------


def test_stand_ins_decide_no_claim(tmp_path):
    pairs("treecrf", "induced_crf", faq_perl=UP, faq_x=UP)(tmp_path)
    coefficients("faq_perl", IMPUTATION, 6, (0.1, 0.4))(tmp_path)
    plant_frequencies(tmp_path, 11, "faq_x")
    for claim in ("P3.2", "P3.3", "P4.4", "P4.6"):
        assert find(tmp_path, claim).verdict == "not_run"


def test_a_claim_that_was_not_run_names_the_data_that_it_needs(tmp_path):
    finding = find(tmp_path, "P3.2")
    assert finding.verdict == "not_run"
    assert finding.explanation == (
        "Not run: the run has no comparisons.csv (study training) for protein, hyphen, faq_ai_neural and faq_aix."
    )


def test_data_sets_behind_a_verdict_are_those_that_were_run(tmp_path):
    pairs("treecrf", "induced_crf", protein=SAME, faq_aix=UP, faq_perl=UP)(tmp_path)
    row = verdicts(tmp_path).set_index("id").loc["P3.2"]
    assert row["data_sets"] == "protein, faq_aix"
    assert row["numbers"].endswith("not run: hyphen, faq_ai_neural")


def test_another_source_under_a_name_of_the_papers_does_not_count(tmp_path):
    pairs("treecrf", "induced_crf", nettalk=DOWN)(tmp_path)
    plant_variants(tmp_path, "nettalk_binary", ("crf_2", "crf_1", 10.0, 0.01))
    for path, claim in (("data/nettalk", "P3.4"), ("future/nettalk_binary", "P5.6")):
        description = tmp_path / path / "description.json"
        assert find(tmp_path, claim).verdict == "replicated"
        description.write_text(json.dumps({"source": "hyphen"}))
        assert find(tmp_path, claim).verdict == "not_run"
        description.unlink()
        assert find(tmp_path, claim).verdict == "not_run"


@pytest.mark.parametrize(
    ("name", "source", "counts"),
    [
        ("nettalk_binary_30", "nettalk_binary", True),
        ("nettalk_binary_30", "hyphen", False),
        ("nettalk_full", "nettalk", False),  # a data set of its own
        ("hyphenation", "hyphen", False),
    ],
)
def test_more_draws_of_a_data_set_are_named_after_it(tmp_path, name, source, counts):
    plant_variants(tmp_path, name, ("crf_2", "crf_1", 10.0))
    (tmp_path / "future" / name / "description.json").write_text(json.dumps({"source": source}))
    assert (Results(tmp_path).frame("future", name, "comparisons") is not None) == counts


# --- real summaries ---------------------------------------------------------------------------------


def test_real_tests_decide(tmp_path):
    """200 sequences of 10: shrinkage is 5 points ahead, feature induction equal, MALLET without induction far
    behind.
    """
    wrong = {
        "treecrf": 2,
        "treecrf_original": 2 + (np.arange(200) % 2),
        "mallet_linear": 5 + np.arange(200) % 3,
        "induced_crf": 2,
    }
    frames = [
        pd.concat([predictions(name, w, 200, decoder=decoder, dataset="protein") for decoder in (FB, VITERBI)])
        for name, w in wrong.items()
    ]
    compared = compare(map(choice_of, wrong), frames, RULES)
    for dataset in CHAPTER_3:
        plant(compared.assign(dataset=dataset), tmp_path, "training", dataset, "comparisons")
    frame = verdicts(tmp_path).set_index("id")
    assert frame.loc[["P3.1", "P3.2", "P3.5"], "verdict"].tolist() == ["replicated"] * 3
    small = "by the paper's test p < 0.001, by the sequence-level test p < 0.001"
    assert (
        f"protein, forward-backward: TreeCRF +5.00 points against TreeCRF-2004 ({small}, "
        in frame.loc["P3.1", "numbers"]
    )
    assert (
        "TreeCRF 0.00 points against CRF with induction (by the paper's test p = 1.000" in frame.loc["P3.2", "numbers"]
    )


def test_real_deviance_models_decide(tmp_path):
    share = {WEIGHTING: 0.8, SURROGATES: 0.7, IMPUTATION: 0.5, INDICATOR: 0.7, "default_direction": 0.9}
    rows = [
        (
            rate,
            method,
            training_set,
            test_set,
            sequence,
            sequence,
            sequence,
            100,
            round(100 * p) + sequence % 2 + training_set,
        )
        for rate in RATES
        for method, p in share.items()
        for training_set in range(2)
        for test_set in range(2)
        for sequence in range(6)
    ]
    names = ["rate", "method", "draw", "test_set", "sequence", "group", "block", "n_positions", "n_correct"]
    rng = np.random.default_rng(0)
    counts = pd.DataFrame(rows, columns=names).assign(dataset="protein")
    counts["n_correct"] += rng.integers(0, 2, len(counts))
    for name, found in analyse(counts, 5, 0.5, "fewest").items():
        plant(found, tmp_path, "missing", "protein", name)
    frame = verdicts(tmp_path).set_index("id")
    assert frame.loc["P4.1", "verdict"] == "replicated"
    assert frame.loc["P4.1", "numbers"].count("✓") == 12
    assert frame.loc["P4.5", "verdict"] == "replicated"


def test_the_real_example_is_replicated(tmp_path):
    write_frame(one_directional_example(JobContext(None)), tmp_path / "future/example.csv")
    assert find(tmp_path, "P5.1").verdict == "checked"
