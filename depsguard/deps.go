package depsguard
import (
 _ "github.com/bwmarrin/discordgo"
 _ "go.etcd.io/bbolt"
 _ "github.com/joho/godotenv"
 _ "github.com/gorilla/websocket"
 _ "github.com/alecthomas/kong"
 _ "github.com/prometheus/client_golang/prometheus/promhttp"
 _ "github.com/chromedp/chromedp"
 _ "github.com/santhosh-tekuri/jsonschema/v6"
 _ "github.com/google/go-cmp/cmp"
 _ "pgregory.net/rapid"
 _ "github.com/rogpeppe/go-internal/testscript"
 _ "golang.org/x/time/rate"
 _ "golang.org/x/sync/errgroup"
)
