// Command client-go-checks does on an API server what controllers written in Go do, and prints one JSON line for each check, after one with all
// their names.
//
// The last checks need the server restarted: the program then prints {"restart":true} and goes on when it reads a line.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

// Ends a check that hangs; none takes more than a few seconds on an idle machine.
const patience = 60 * time.Second

type result struct {
	Check   string `json:"check"`
	Error   string `json:"error,omitempty"`
	Seconds string `json:"seconds"`
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "how to reach the server, as its administrator")
	kubectl := flag.String("kubectl", "", "the kubectl to run as a proxy")
	lease := flag.Duration("lease", 5*time.Second, "how long a leader leads without renewal: longer where requests take their time")
	flag.Parse()
	// What the checks provoke is no news: failed renewals of a lease, watches that end.
	klog.SetLogger(logr.Discard())
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	config.QPS = -1
	config.UserAgent = "client-go-checks"
	program := &program{config: config, kubeconfig: *kubeconfig, kubectl: *kubectl, lease: *lease}

	checks := slices.Concat(
		informerChecks, watchChecks, leaderElectionChecks, applyChecks, typedChecks, objectChecks, listChecks,
		dynamicChecks, eventChecks, credentialChecks, accessChecks, proxyChecks, openAPIChecks,
	)
	var planned []string
	for _, c := range checks {
		planned = append(planned, c.name)
	}
	for _, c := range restartChecks {
		planned = append(planned, c.name)
	}
	print(map[string][]string{"planned": planned})
	together(checks, program.run)

	// Prepared before the restart, verified after it.
	var afterRestart sync.Map
	together(restartChecks, func(c restartCheck) {
		program.run(check{name: c.name, silent: true, run: func(ctx context.Context, e *env) {
			afterRestart.Store(c.name, c.prepare(ctx, e))
		}})
	})
	print(map[string]bool{"restart": true})
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	together(restartChecks, func(c restartCheck) {
		if verify, ok := afterRestart.Load(c.name); ok {
			program.run(check{name: c.name, run: verify.(func(context.Context, *env))})
		}
	})
}

func together[T any](items []T, do func(T)) {
	var all sync.WaitGroup
	for _, item := range items {
		all.Go(func() { do(item) })
	}
	all.Wait()
}

var printing sync.Mutex

func print(line any) {
	printing.Lock()
	defer printing.Unlock()
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		panic(err)
	}
}
