"""The command line: ``dplit verify``, ``claims``, ``audit``, ``experiment`` and ``datasets``.

Exit status: 0 all is as declared, 1 something is not, 2 bad arguments, 130 interrupted.
"""

import argparse
import errno
import os
import sys

import dplit
from dplit.cli import audit, claims, datasets, experiment, verify

COMMANDS = {"verify": verify, "claims": claims, "audit": audit, "experiment": experiment, "datasets": datasets}


def main(argv=None):
    """Run one command; returns its exit status. `argv`: left out, the arguments of the process."""
    given = sys.argv[1:] if argv is None else list(argv)
    try:
        if given and not given[0].startswith("-") and given[0] not in COMMANDS:
            from dplit.ground.work import nearest

            parser().error(f"there is no command {given[0]!r}; {nearest(given[0], COMMANDS)}")
        arguments = parser().parse_args(given)  # it prints the help
        status = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader of a pipe, as in `dplit verify | head`, has left
        _print_no_more()
        return 1
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _print_no_more()
        print(f"dplit: {error.strerror}", file=sys.stderr)
        return 1


def _print_no_more():
    """What is still to be printed is lost quietly, at the end of the process, too."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def parser():
    """The whole command line as an `argparse.ArgumentParser`."""
    top = argparse.ArgumentParser(
        prog="dplit",
        description="Differentially private random forests whose theorems run.",
        epilog="`dplit COMMAND --help` explains one command, with examples.",
    )
    top.add_argument("--version", action="version", version=f"dplit {dplit.__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, module in COMMANDS.items():
        sub = commands.add_parser(
            name,
            help=module.HELP,
            description=module.__doc__,
            epilog=module.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(sub)
        sub.set_defaults(run=module.run, error=sub.error)
    return top
