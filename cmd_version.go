package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Releases set these with -ldflags "-X main.version=v1.2.3 -X main.commit=...";
// otherwise what the Go tool recorded in the binary is shown.
var version, commit string

type versionCmd struct{}

// Run prints one line.
func (versionCmd) Run(p *process) error {
	info, _ := debug.ReadBuildInfo()
	fmt.Fprintln(p.stdout, describeBuild(info, version, commit))
	return nil
}

// describeBuild words what is known about the binary. info may be nil, and
// without version control (go run, a source archive) it names no commit.
func describeBuild(info *debug.BuildInfo, version, commit string) string {
	modified := ""
	if info != nil {
		if v := info.Main.Version; version == "" && v != "" && v != "(devel)" {
			version = v
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && commit == "":
				commit = s.Value[:min(len(s.Value), 12)]
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = " with local changes"
			}
		}
	}
	if version == "" {
		version = "development"
	}
	if commit == "" {
		commit = "unknown"
	}
	return fmt.Sprintf("paladin %s, commit %s%s, %s %s/%s", version, commit, modified, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
