"""Writes statistics.json and retrieval.json: reference values from tools that share no code with askdocs."""

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import ir_measures
import numpy as np
from ir_measures import AP, RR, R, Success, nDCG
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

HERE = Path(__file__).parent
SMALL = [1, 1, 1, 0, 1, 0.5, 1, 1, 0.75, 1]
EFRON = [3, 5, 7, 18, 43, 85, 91, 98, 100, 130, 230, 487]


def distributions():
    ps = [1e-6, 0.001, 0.025, 0.05, 0.3, 0.5, 0.8, 0.95, 0.975, 0.9999]
    xs = [-6, -2.5, -1.2345, -0.1, 0, 0.7, 1.96, 4]
    dfs = [1, 2.5, 6, 11.37, 34, 300]
    shapes = [(4, 2), (31, 5), (0.5, 0.5), (1, 10), (80, 1.5)]
    return {
        "normal_quantile": [[p, stats.norm.ppf(p)] for p in ps],
        "normal_cdf": [[x, stats.norm.cdf(x)] for x in xs],
        "t_quantile": [[p, df, stats.t.ppf(p, df)] for p in ps[1:-1] for df in dfs],
        "t_cdf": [[x, df, stats.t.cdf(x, df)] for x in xs for df in dfs],
        "beta_quantile": [[p, a, b, stats.beta.ppf(p, a, b)] for p in ps[1:-1] for a, b in shapes],
    }


def proportions():
    pairs = [(0, 1), (1, 1), (4, 5), (0, 10), (10, 10), (7, 10), (35, 35), (1, 40), (79, 80), (123, 456)]
    return [
        {
            "k": k,
            "n": n,
            "confidence": c,
            "wilson": list(proportion_confint(k, n, 1 - c, "wilson")),
            "clopper_pearson": list(proportion_confint(k, n, 1 - c, "beta")),
        }
        for k, n in pairs
        for c in (0.9, 0.95, 0.99)
    ]


def bootstraps():
    """Monte Carlo with many resamples; the ends of a lattice of means are then stable, the others to about a step."""
    rng = np.random.default_rng(7)
    inputs = {
        "small": SMALL,
        "mostly_ones": [1] * 41 + [0] * 4,
        "efron": EFRON,
        "five_down_one_up": [-1] * 5 + [1] + [0] * 14,
        "five_down": [-1] * 5 + [0] * 30,
        "smooth": [round(float(x), 6) for x in rng.beta(2.4, 0.8, 80)],
    }
    out = []
    for name, scores in inputs.items():
        row = {"name": name, "scores": scores}
        for method in ("percentile", "BCa"):
            ci = stats.bootstrap(
                (np.array(scores, float),), np.mean, n_resamples=200_000, method=method, vectorized=True,
                batch=20_000, rng=np.random.default_rng(11),
            ).confidence_interval
            row[method.lower()] = [round(float(ci.low), 6), round(float(ci.high), 6)]
        u = np.array([np.mean(scores) - np.mean(np.delete(scores, i)) for i in range(len(scores))])
        row["acceleration"] = float(np.sum(u**3) / (6 * np.sum(u**2) ** 1.5))
        t = stats.t.interval(0.95, len(scores) - 1, np.mean(scores), stats.sem(scores))
        row["t"] = [float(t[0]), float(t[1])]
        out.append(row)
    return out


def agreement():
    tables = [[[31, 12], [4, 58]], [[118, 5], [2, 0]], [[20, 5], [10, 15]], [[40, 0], [3, 7]]]
    out = []
    for table in tables:
        k = cohens_kappa(np.array(table))
        n = sum(map(sum, table))
        observed = (table[0][0] + table[1][1]) / n
        yes = (sum(table[0]) + table[0][0] + table[1][0]) / (2 * n)
        chance = 2 * yes * (1 - yes)
        out.append({
            "table": table, "agreement": observed, "kappa": k.kappa, "se": k.std_kappa,
            "low": k.kappa_low, "high": k.kappa_upp, "ac1": (observed - chance) / (1 - chance),
        })
    return out


def corrected(p, q0, q1, n, m0, m1, alpha=0.05):
    """Lee et al., arXiv 2511.21140: plug-in estimate, and the interval from the counts with pseudo-observations."""
    z = stats.norm.ppf(1 - alpha / 2)
    theta = min(1, max(0, (p + q0 - 1) / (q0 + q1 - 1)))
    p, q0, q1 = (n * p + z * z / 2) / (n + z * z), (m0 * q0 + 1) / (m0 + 2), (m1 * q1 + 1) / (m1 + 2)
    n, m0, m1 = n + z * z, m0 + 2, m1 + 2
    mid = (p + q0 - 1) / (q0 + q1 - 1)
    e0, e1 = q0 * (1 - q0) / m0, q1 * (1 - q1) / m1
    shift = 2 * z * z * (mid * e1 - (1 - mid) * e0)
    se = math.sqrt(p * (1 - p) / n + (1 - mid) ** 2 * e0 + mid**2 * e1) / (q0 + q1 - 1)
    return theta, max(0, mid + shift - z * se), min(1, mid + shift + z * se)


def corrected_rates():
    inputs = [(0.8, 0.85, 0.9, 200, 20, 40), (0.5, 0.95, 0.75, 80, 40, 40), (0.97, 0.6, 0.99, 400, 10, 90)]
    return [dict(zip(("p", "q0", "q1", "n", "m0", "m1"), x)) | dict(zip(("theta", "low", "high"), corrected(*x)))
            for x in inputs]


def newcombe(a, b, c, d):
    """Newcombe 1998, method 10 without continuity correction, written out from the paper."""
    n = a + b + c + d
    p1, p2 = (a + b) / n, (a + c) / n
    l1, u1 = proportion_confint(a + b, n, 0.05, "wilson")
    l2, u2 = proportion_confint(a + c, n, 0.05, "wilson")
    denominator = (a + b) * (c + d) * (a + c) * (b + d)
    top = a * d - b * c
    if top > n / 2:
        top -= n / 2
    elif top >= 0:
        top = 0
    phi = 0 if denominator == 0 else top / math.sqrt(denominator)
    low = p1 - p2 - math.sqrt((p1 - l1) ** 2 - 2 * phi * (p1 - l1) * (u2 - p2) + (u2 - p2) ** 2)
    high = p1 - p2 + math.sqrt((u1 - p1) ** 2 - 2 * phi * (u1 - p1) * (p2 - l2) + (p2 - l2) ** 2)
    return [p1 - p2, low, high]


def sign_flip(d):
    """Exact by enumeration with scipy: P(mean of randomly signed differences <= the mean seen)."""
    result = stats.permutation_test(
        (np.array(d, float),), np.mean, permutation_type="samples", alternative="less", n_resamples=np.inf,
    )
    return float(result.pvalue)


def within_cases(base, new, runs):
    """All ways to deal each case's runs to the two sides, by enumeration over exact fractions."""
    ways = {0: Fraction(1)}
    for b, m in zip(base, new):
        outcomes = [1] * (b + m) + [0] * (2 * runs - b - m)
        deal = {}
        for chosen in itertools.combinations(range(2 * runs), runs):
            k = sum(outcomes[i] for i in chosen)
            deal[k] = deal.get(k, 0) + 1
        total = math.comb(2 * runs, runs)
        nxt = {}
        for s, p in ways.items():
            for k, w in deal.items():
                nxt[s + k] = nxt.get(s + k, 0) + p * Fraction(w, total)
        ways = nxt
    return float(sum(p for s, p in ways.items() if s <= sum(new)))


def mde(n, omega2, sigma2, runs, sides):
    z = stats.norm.ppf(1 - 0.05 / sides) + stats.norm.ppf(0.8)
    return float(z * math.sqrt((omega2 + 2 * sigma2 / runs) / n))


def comparisons():
    flips = [[-1] * 5 + [1] + [0] * 14, [-1] * 5 + [0] * 10, [-0.5, -0.25, 0.5, -1, 0, -0.75, -0.25, 0.25, -0.5, -1]]
    runs = [([4, 4, 4], [0, 4, 4]), ([4, 3, 4, 4, 2], [1, 2, 4, 4, 3]), ([4, 2, 0, 3], [4, 4, 1, 3])]
    tables = [(36, 12, 2, 0), (20, 3, 9, 8), (30, 0, 0, 5)]
    holm = [0.001, 0.008, 0.012, 0.03, 0.04, 0.2, 0.5, 0.9]
    return {
        "mcnemar_two_sided": [
            {"b": b, "c": c, "p": float(mcnemar([[0, b], [c, 0]], exact=True).pvalue)}
            for b, c in [(5, 0), (6, 0), (8, 2), (9, 1), (3, 3), (0, 0), (40, 21)]
        ],
        "mcnemar_one_sided": [
            {"b": b, "c": c, "p": float(stats.binomtest(b, b + c, 0.5, "greater").pvalue)}
            for b, c in [(5, 0), (8, 2), (2, 8), (3, 3), (40, 21)]
        ],
        "newcombe": [{"cells": list(t), "result": newcombe(*t)} for t in tables],
        "sign_flip": [{"d": d, "p": sign_flip(d)} for d in flips],
        "within_cases": [{"base": b, "new": m, "runs": 4, "p": within_cases(b, m, 4)} for b, m in runs],
        "holm": {"p": holm, "adjusted": [float(x) for x in multipletests(holm, method="holm")[1]]},
        "holm_unordered": {
            "p": holm[::-1], "adjusted": [float(x) for x in multipletests(holm[::-1], method="holm")[1]],
        },
        "mde": [
            {"n": 45, "omega2": 0.02, "sigma2": 0.1, "runs": k, "sides": s, "mde": mde(45, 0.02, 0.1, k, s)}
            for k in (1, 2, 4) for s in (1, 2)
        ],
        "welch": welch(),
    }


def welch():
    """Satterthwaite's degrees of freedom and the t interval, as scipy has them for two samples."""
    a, b = [0.9, 0.7, 0.8, 0.85], [0.6, 0.75, 0.5, 0.65, 0.7]
    result = stats.ttest_ind(b, a, equal_var=False)
    ci = result.confidence_interval(0.90)
    return {
        "a": a, "b": b, "df": float(result.df), "se": float((np.mean(b) - np.mean(a)) / result.statistic),
        "low90": float(ci.low), "high90": float(ci.high),
    }


def retrieval():
    rng = np.random.default_rng(3)
    docs = [f"d{i:02d}" for i in range(40)]
    qrels, run = {}, {}
    for q in range(30):
        labelled = rng.choice(docs, size=int(rng.integers(1, 7)), replace=False)
        qrels[f"q{q}"] = {str(d): int(rng.integers(0, 4)) if q % 3 else 1 for d in labelled}
        ranked = rng.choice(docs, size=int(rng.integers(1, 25)), replace=False)
        run[f"q{q}"] = {str(d): round(float(rng.random()), 1 if q % 2 else 6) for d in ranked}
    qrels["q_none_found"], run["q_none_found"] = {"d01": 1}, {"d02": 0.5, "d03": 0.4}
    qrels["q_not_in_run"] = {"d04": 1, "d05": 2}
    qrels["q_perfect"], run["q_perfect"] = {"d06": 2, "d07": 1}, {"d06": 2.0, "d07": 1.0}
    qrels["doc_named"], run["doc_named"] = {"a": 1, "b": 1, "c": 1}, dict(zip("xaycz", (5.0, 4.0, 3.0, 2.0, 1.0)))
    qrels["doc_graded"], run["doc_graded"] = {"a": 3, "b": 2, "c": 1, "d": 0}, dict(zip("bxadc", (5.0, 4.0, 3.0, 2.0, 1.0)))
    measures = [R @ 1, R @ 3, R @ 5, R @ 10, R @ 100, nDCG @ 3, nDCG @ 5, nDCG @ 10, RR, RR @ 10, AP,
                Success @ 1, Success @ 5, Success @ 10]
    per_query = {str(m): {} for m in measures}
    for row in ir_measures.iter_calc(measures, qrels, run):
        per_query[str(row.measure)][row.query_id] = row.value
    return {
        "about": "Ties in score are ordered by document name, descending (trec_eval). A query that is missing in the run counts 0.",
        "qrels": qrels,
        "run": run,
        "per_query": per_query,
        "mean": {str(m): v for m, v in ir_measures.calc_aggregate(measures, qrels, run).items()},
    }


def write(name, data):
    (HERE / name).write_text(json.dumps(data, indent=1, sort_keys=True) + "\n")


write("statistics.json", {
    "distributions": distributions(),
    "proportions": proportions(),
    "bootstraps": bootstraps(),
    "agreement": agreement(),
    "corrected_rates": corrected_rates(),
    "comparisons": comparisons(),
})
write("retrieval.json", retrieval())
