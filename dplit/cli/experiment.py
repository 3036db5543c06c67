"""Run one of the papers' tables or figures again, or list them.

A run continues the result file that is there: what it holds is not run again, and a run that was
stopped loses only the tasks that were running. Without --out the file is under dplit-results/ in
the current folder; the results of the project, in data/results/, stay as they are. A table is
printed beside the paper's cells; one that follows from a formula is computed. Figures that measure
the same forests are run together by --with: what is one fit in them is fitted once. A task that
fails stops no other: it is named at the end, and the next run tries it again. The exit status is 0
if the run is complete, 1 if tasks failed.

With --until-decided those cells are run, again and again, that hold a sentence about ID open, an
experiment or a paper as m-rf, until each is decided or the hours are spent. It goes on from the
stored results; its own are in the folder --out.
"""

import shlex
import sys
from functools import partial
from pathlib import Path

from dplit.cli.options import backend, progress, workers
from dplit.cli.text import dump, table, wrapped

HELP = "run the papers' tables and figures again"
EXAMPLES = """examples:
  dplit experiment                               every experiment, and what is stored of it
  dplit experiment diprime-v2/table-1            run one, or go on with it
  dplit experiment diprime-v2/table-2 --cells 'banknote/*' --repetitions 3
  dplit experiment diprime-v2/table-1 --out data/results/diprime-v2/table-1.json
  dplit experiment rdf/figure-11 --with rdf/figure-12 --with rdf/figure-13
  dplit experiment diprime-v1/table-2 --json     for another program
  dplit experiment rdf --until-decided --hours 2
"""
FOLDER = "dplit-results"
OPTIONS = {
    "ID": ("experiment to run; left out: list all", {"nargs": "?"}),
    "--cells GLOB...": "pattern over keys data/method/reading; may be repeated (default: every cell)",
    "--with ID...": ("another one to run with it; its file is beside the first's; repeatable", {"dest": "others"}),
    "--repetitions R": "splits a cell (default: the experiment's own number)",
    "--until-decided": "run what decides the sentences about ID, an experiment or a paper; --out is a folder",
    "--hours H": ("of one core, with --until-decided (default: 1)", {"default": 1.0}),
    "--out FILE": f"result file, new or continued (default: {FOLDER}/ID.json)",
}
SHARED = "seed", "jobs", "dask", "quiet", "verbose", "json"


def run(arguments):
    """Run the command; returns the exit status."""
    from dplit.court import experiments

    if arguments.id is None:
        for option in ("cells", "with", "repetitions", "out"):
            if getattr(arguments, {"with": "others"}.get(option, option)) not in (None, []):
                arguments.error(f"argument --{option}: needs the ID of an experiment")
        rows = [_listed(id) for id in experiments.ids()] + [_of_formula(id) for id in experiments.FORMULAS]
        print(dump(rows) if arguments.json else table(rows))
        return 0
    if arguments.until_decided:
        return _until_decided(arguments)
    if arguments.id in experiments.FORMULAS:
        print(_computed(arguments))
        return 0
    lost, interrupted = [], False
    try:
        found = experiments.get(arguments.id)
        out = Path(arguments.out or f"{FOLDER}/{found.id}.json")
        try:
            with backend(arguments):
                lost = [task for result in _run(arguments, out).values() for task in result.lost]
        except KeyboardInterrupt:
            interrupted = True
        result = experiments.read(out) if out.is_file() else experiments.Result(found.id)
    except ValueError as error:
        arguments.error(str(error))
    except OSError as error:
        print(f"dplit experiment: {_of_file(error, out)}", file=sys.stderr)
        return 1
    if result.cells or not lost or arguments.json:
        print(_json(found, result, interrupted, lost) if arguments.json else _text(found, result, arguments))
    for line in _lost(lost):
        print(f"dplit experiment: {line}", file=sys.stderr)
    if interrupted:
        print(f"interrupted: the same command goes on from {out}", file=sys.stderr)
        return 130
    return 1 if lost else 0


def _until_decided(arguments):
    """Run what is open until it is decided; returns the exit status."""
    from dplit.court.claims.runs.until_decided import until_decided

    def out(id):
        return Path(arguments.out or FOLDER, f"{id}.json")

    words = ["dplit", "experiment", arguments.id, "--until-decided", "--hours", f"{arguments.hours:g}"]
    command = shlex.join([*words, "--seed", str(arguments.seed)])
    options = {"hours": arguments.hours, "seed": arguments.seed, "command": command}
    try:
        with backend(arguments):
            bar = partial(progress, unit="task", arguments=arguments)
            options |= {"jobs": workers(arguments), "progress": bar}
            report = partial(print, file=sys.stderr)
            verdicts, still = until_decided(arguments.id, out, report=report, **options)
    except ValueError as error:
        arguments.error(str(error))
    hours = {one.id: _estimate(one) for one in still}
    if arguments.json:
        print(dump({"verdicts": verdicts, "hours": {id: one.to_decide for id, one in zip(hours, still)}}))
    else:
        rows = [[id, verdict, hours.get(id, "")] for id, verdict in verdicts.items()]
        print(table(rows, ("sentence", "verdict", "hours to decide")))
    return 0


def _estimate(one):
    """Hours of one core until a sentence is decided, in words."""
    if not one.wanted:
        return "no run decides it"
    return f"{one.to_decide:.2g}" if one.to_decide < float("inf") else "unknown"


def _of_file(error, out):
    """One line on a file that can't be written: which, why, and what is kept."""
    from dplit.court.experiments.result import Journal

    kept = Journal(out).path
    named = Path(error.filename).name if error.filename else out.name
    line = f"{named}: {error.strerror or error}"
    return f"{line}; finished tasks are kept in {kept.name}" if kept.is_file() else line


def _lost(lost):
    """One line for each way in which tasks failed: the error, how many, and of which cells."""
    for error in dict.fromkeys(error for _, _, error in lost):
        keys = [key for key, _, of in lost if of == error]
        cells = list(dict.fromkeys(keys))
        named = ", ".join(cells[:3]) + (f" and {len(cells) - 3} more cells" if cells[3:] else "")
        yield f"{error}; {len(keys)} {'task' if len(keys) == 1 else 'tasks'} lost: {named}"


def _run(arguments, out):
    from dplit.court import experiments

    words = ["dplit", "experiment", arguments.id]
    words += [word for other in arguments.others for word in ("--with", other)]
    words += [word for glob in arguments.cells for word in ("--cells", glob)]
    if arguments.repetitions is not None:
        words += ["--repetitions", str(arguments.repetitions)]
    others = {id: out.with_name(f"{id.rpartition('/')[2]}.json") for id in arguments.others}
    if not out.is_dir():
        out.parent.mkdir(parents=True, exist_ok=True)
        out.with_name(f"{out.name}.lock").touch()  # where none can be made, no other run is to blame
    return experiments.run_together(
        {arguments.id: out, **others},
        jobs=workers(arguments),
        seed=arguments.seed,
        repetitions=arguments.repetitions,
        cells=arguments.cells or ("*",),
        progress=partial(progress, unit="task", arguments=arguments),
        command=shlex.join([*words, "--seed", str(arguments.seed)]),
    )


def _listed(id):
    """One experiment as plain data: how many cells it has, and how many are stored."""
    from dplit.court import experiments

    found = experiments.get(id)
    try:
        result = experiments.stored(id)
    except FileNotFoundError:
        result = experiments.Result(id)
    return {
        "id": id,
        "cells": len(found.cells),
        "run": len([c for c in found.cells if not c.not_run]),
        "stored": len(result.cells),
        "repetitions": min((len(result.scores(k)) for k in result.cells), default=0),
        "title": found.title,
    }


def _of_formula(id):
    """One table that is computed, in the same form."""
    from dplit.court import experiments

    n = len(experiments.computed(id))
    title = f"{experiments.FORMULAS[id].title} (computed)"
    return {"id": id, "cells": n, "run": n, "stored": 0, "repetitions": 0, "title": title}


def _computed(arguments):
    """A table of a formula, as text or JSON."""
    from dplit.court import experiments

    shown = experiments.computed(arguments.id).reset_index().to_dict("records")
    if arguments.json:
        return dump({"experiment": arguments.id, "cells": shown})
    head = wrapped(f"{arguments.id}: {experiments.FORMULAS[arguments.id].title}, computed")
    return head + "\n\n" + table(shown)


def _text(found, result, arguments):
    from dplit.court import experiments

    head = [wrapped(f"{found.id}: {found.title}"), *([wrapped(found.ours)] if found.ours else [])]
    head += [wrapped(f"run on {run['date']}: {run['command']}") for run in result.runs if arguments.verbose]
    if _is_table(found.id):
        shown = experiments.side_by_side(found.id, result).reset_index().to_dict("records")
        rows = experiments.compare(found.id, result)
        cells = [] if arguments.quiet else [table(shown)]
        notes = [wrapped(f"{r.data}, {r.row}: {r.why}") for r in rows if r.published is not None and r.why]
        total = "{} cells agree, {} differ, {} are undecided, {} are not run"
        total = total.format(*experiments.tally(rows))
        return "\n\n".join([*head, *cells, *notes, total])
    keys = [c.key for c in found.cells if c.key in result.cells]
    cells = [[k, _numbers(result.mean(k)), _numbers(result.deviation(k))] for k in keys]
    return "\n\n".join([*head, *([] if arguments.quiet else [table(cells, ("cell", "mean", "deviation"))])])


def _json(found, result, interrupted, lost):
    from dplit.court import experiments

    cells = {
        key: {"mean": result.mean(key).tolist(), "deviation": result.deviation(key).tolist(), **cell}
        for key, cell in result.cells.items()
    }
    answer = {
        "experiment": found.id,
        "interrupted": interrupted,
        "seed": result.seed,
        "runs": result.runs,
        "lost": [{"cell": key, "repetition": r, "error": error} for key, r, error in lost],
        "cells": cells,
    }
    if _is_table(found.id):
        rows = experiments.compare(found.id, result)
        answer["agree"] = {f"{r.data}/{r.row}": r.agrees for r in rows}
        answer["verdict"] = {f"{r.data}/{r.row}": r.verdict for r in rows}
    return dump(answer)


def _is_table(id):
    return "table-" in id


def _numbers(value):
    values = value.tolist() if getattr(value, "ndim", 0) else [float(value)]
    return " ".join(f"{v:.4g}" for v in values)
