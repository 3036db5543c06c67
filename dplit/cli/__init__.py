"""The command line: ``dplit verify``, ``claims``, ``audit``, ``experiment`` and ``datasets``.

Exit status: 0 all is as declared, 1 something is not or a file can't be written, 2 bad arguments, 130 interrupted,
141 the reader of a pipe has left.
"""

import argparse
import errno
import os
import sys

import dplit
from dplit.cli import audit, claims, datasets, experiment, options, verify

COMMANDS = {"verify": verify, "claims": claims, "audit": audit, "experiment": experiment, "datasets": datasets}


def main(argv=None):
    """Run one command; returns its exit status. `argv`: left out, the arguments of the process."""
    given = sys.argv[1:] if argv is None else list(argv)
    command = "dplit"
    try:
        if given and not given[0].startswith("-") and given[0] not in COMMANDS:
            from dplit.ground.work import nearest

            parser().error(f"there is no command {given[0]!r}; {nearest(given[0], COMMANDS)}")
        arguments = parser().parse_args(given)  # it prints the help
        command += f" {given[0]}"
        status = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader of a pipe, as in `dplit verify | head`, has left
        _print_no_more()
        return _said(f"{command}: nobody reads the output any more", 141)
    except OSError as error:
        if error.filename is None and error.errno != errno.ENOSPC:
            raise
        if error.filename is None:  # a full disk under the output
            _print_no_more()
        return _said(": ".join(filter(None, [command, error.filename, error.strerror])), 1)
    except KeyboardInterrupt:
        return _said(f"{command}: interrupted", 130)


def _said(line, status):
    print(line, file=sys.stderr)
    return status


def _print_no_more():
    """What is still to be printed is lost quietly, at the end of the process, too."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Parser(argparse.ArgumentParser):
    """A parser of one command: its help is coloured by rich-argparse, an error is one line."""

    def error(self, message):
        """Say what is wrong with the arguments, and exit with status 2."""
        self.exit(2, f"{self.prog}: error: {message}; see {self.prog} --help\n")


def parser():
    """The whole command line as an `argparse.ArgumentParser`."""
    import shtab
    from rich_argparse import RawDescriptionRichHelpFormatter as Formatter

    Formatter.group_name_formatter = str
    Formatter.text_markup = Formatter.help_markup = False  # brackets are meant
    top = Parser(
        prog="dplit",
        description="Differentially private random forests whose theorems run.",
        epilog="`dplit COMMAND --help` explains one command, with examples.",
        formatter_class=Formatter,
    )
    top.add_argument("--version", action="version", version=f"dplit {dplit.__version__}")
    shtab.add_argument_to(top, "--print-completion", help="print what completes options in this shell")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, module in COMMANDS.items():
        about = {"help": module.HELP, "description": module.__doc__, "epilog": module.EXAMPLES}
        sub = commands.add_parser(name, formatter_class=Formatter, **about)
        if hasattr(module, "add_arguments"):
            module.add_arguments(sub)
        else:
            options.add(sub, module.OPTIONS, module.SHARED)
        sub.set_defaults(run=module.run, error=sub.error)
    return top
