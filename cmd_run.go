package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"github.com/alecthomas/kong"

	"paladin/config"
)

// The exit codes besides 0.
const (
	exitWrong = 1 // the thing asked about is wrong: a bad record, a damaged database
	exitUsage = 2 // wrong use, or something the command needs is not there
)

// commands is the command line as a whole.
type commands struct {
	Help helpFlag `short:"h" help:"Show what this command does."`

	Serve    serveCmd    `cmd:"" default:"1" help:"Run the bot on Discord (the default). Settings come from the environment and .env."`
	Sandbox  sandboxCmd  `cmd:"" help:"Run the bot against a local Discord with a web page; needs no token."`
	Replay   replayCmd   `cmd:"" help:"Play a game record through and check it."`
	Simulate simulateCmd `cmd:"" help:"Let computer players play each other, and count who wins."`
	Backup   backupCmd   `cmd:"" help:"Copy the database of a bot that does not run."`
	Check    checkCmd    `cmd:"" help:"Look for damage in the database of a bot that does not run."`
	Version  versionCmd  `cmd:"" help:"Print version, commit and Go version."`
	Examine  examineCmd  `cmd:"" hidden:""` // what check starts
}

// A process is what a command sees of the world around it.
type process struct {
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	environ []string
	dir     fs.FS // the working directory, for .env
}

// run is the whole program but for the process: it parses args, runs the command
// and returns the exit code. It never writes more than one line about an error.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	out := &output{w: stdout}
	p := &process{stdin: stdin, stdout: out, stderr: stderr, environ: environ, dir: os.DirFS(".")}
	err := p.runCommand(args)
	switch {
	case out.err == nil || exitCode(err) == exitWrong:
		// A verdict on what was asked about stands, whoever heard the rest.
	case errors.Is(out.err, syscall.EPIPE):
		return 0 // whoever read the output has seen enough
	default:
		err = fmt.Errorf("cannot write to standard output: %w", cause(out.err))
	}
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, message(err))
	return exitCode(err)
}

func (p *process) runCommand(args []string) error {
	var c commands
	parser, err := kong.New(&c,
		kong.Name("paladin"),
		kong.Description("A Discord bot for the card game Paladin. Try it without Discord: paladin sandbox"),
		kong.NoDefaultHelp(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Writers(p.stdout, p.stderr),
	)
	if err != nil {
		return fmt.Errorf("command line: %w", err)
	}
	ctx, err := parser.Parse(args)
	if errors.Is(err, errHelped) {
		return nil
	}
	if err != nil {
		return parseFault(args, err)
	}
	return ctx.Run(p)
}

// errHelped ends the parsing once the help has been printed.
var errHelped = errors.New("help printed")

// A helpFlag prints the help of the command it is given to, whatever else stands
// on the command line. Kong's own would end the process.
type helpFlag bool

// BeforeReset is called by kong before anything is checked. Kong takes a command
// line without a command for the default one; its help is the program's.
func (helpFlag) BeforeReset(ctx *kong.Context) error {
	if cmd := ctx.Selected(); cmd != nil && ctx.Args[0] != cmd.Name {
		ctx.Path = ctx.Path[:1]
	}
	if err := ctx.PrintUsage(false); err != nil {
		return err
	}
	return errHelped
}

// What kong says of something that is not there.
var (
	missingArgument = regexp.MustCompile(`^expected "<([a-z]+)>"$`)
	missingValue    = regexp.MustCompile(`^(--[a-z]+): expected .* but got "EOL"`)
	negativeValue   = regexp.MustCompile(`^(--[a-z]+): expected .* but got "(-[0-9]+)" \(short flag\)`)
)

// parseFault words what kong found wrong and names the help that mends it.
func parseFault(args []string, err error) error {
	help := "paladin --help"
	var perr *kong.ParseError
	if errors.As(err, &perr) && perr.Context != nil {
		if cmd := perr.Context.Selected(); cmd != nil && len(args) > 0 && args[0] == cmd.Name {
			help = "paladin " + cmd.Name + " --help"
		}
	}
	text := err.Error()
	if m := missingArgument.FindStringSubmatch(text); m != nil {
		text = "missing argument " + strings.ToUpper(m[1])
	}
	if m := missingValue.FindStringSubmatch(text); m != nil {
		text = m[1] + " needs a value"
	}
	if m := negativeValue.FindStringSubmatch(text); m != nil {
		text = fmt.Sprintf("%s: %s is not possible: numbers are 0 or more", m[1], m[2])
	}
	if rest, ok := strings.CutPrefix(text, "unexpected argument "); ok && len(args) > 0 && strings.HasPrefix(rest, args[0]) {
		text = fmt.Sprintf("unknown command %q%s", args[0], strings.TrimPrefix(rest, args[0]))
	}
	return fmt.Errorf("%s; see %s", text, help)
}

// A coded error chooses its exit code and whether it names the program.
type coded struct {
	error
	code int
	bare bool
}

// Unwrap makes the cause visible to errors.Is.
func (e coded) Unwrap() error { return e.error }

// wrong marks err as a verdict on the thing asked about.
func wrong(err error) error { return coded{error: err, code: exitWrong} }

// verdict is wrong for a text that others parse: it is printed as it is.
func verdict(err error) error { return coded{error: err, code: exitWrong, bare: true} }

func exitCode(err error) int {
	var c coded
	switch {
	case err == nil:
		return 0
	case errors.As(err, &c):
		return c.code
	}
	return exitUsage
}

// message is the one line for err.
func message(err error) string {
	var c coded
	if errors.As(err, &c) && c.bare {
		return oneLine(err.Error())
	}
	return "paladin: " + oneLine(err.Error())
}

// oneLine joins lines and makes control characters visible, so that a file name
// or a record cannot break the line or play with the terminal.
func oneLine(text string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ") {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// cause takes the operation and path off an error of the operating system, for
// messages that name the file themselves.
func cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// output is standard output. It keeps its first error, so that commands need not
// look after every line they print, and writes nothing after it.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(b)
	o.err = err
	return n, err
}

// settings reads the settings for one use.
func (p *process) settings(use config.Use) (config.Config, error) {
	return config.Load(use, p.environ, p.dir)
}

// warn prints warnings of a command that has no log.
func (p *process) warn(warnings []string) {
	for _, w := range warnings {
		fmt.Fprintln(p.stderr, "paladin: warning: "+oneLine(w))
	}
}
