package main

import "paladin/config"

type serveCmd struct{}

// Run runs the bot on Discord until a signal ends it.
func (serveCmd) Run(p *process) error {
	cfg, deck, err := p.hostSettings(config.Serve)
	if err != nil {
		return err
	}
	return p.runHost(cfg, deck, serveDiscord)
}
