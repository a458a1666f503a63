package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

var leaderElectionChecks = []check{
	{name: "of the candidates for a lease one leads, and another takes over", run: func(ctx context.Context, e *env) {
		// Renewed in good time also on a machine that is busy elsewhere.
		election := &election{env: e, lease: e.program.lease}
		crashFirst := election.enter(ctx, "first", false)
		eventually(ctx, "leader", election.isLedBy("first"))
		resignSecond := election.enter(ctx, "second", true)
		e.renews(ctx)
		equal("leader while the first renews", election.leader(), "first")

		// Nobody tells the others: they lead when the lease has run out.
		crashFirst()
		eventually(ctx, "leader", election.isLedBy("second"))

		// A leader that goes in good order gives the lease back, and the next one need not wait for its end.
		endThird := election.enter(ctx, "third", true)
		resignSecond()
		eventually(ctx, "leader", election.isLedBy("third"))
		lease := must(e.kube.CoordinationV1().Leases(e.namespace).Get(ctx, "elected", metav1.GetOptions{}))
		equal("holder", *lease.Spec.HolderIdentity, "third")
		equal("most leaders at once", election.most, 1)
		endThird()
	}},
}

type election struct {
	*env
	lease   time.Duration
	mutex   sync.Mutex
	leaders []string
	// How many led at once at most, and how often somebody began to lead.
	most, terms int
}

// enter runs a candidate, and returns how to end it.
func (e *election) enter(ctx context.Context, identity string, release bool) func() {
	candidacy, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	elector := must(leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: "elected", Namespace: e.namespace},
			Client:     e.kube.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
		},
		LeaseDuration:   e.lease,
		RenewDeadline:   e.lease * 4 / 5,
		RetryPeriod:     300 * time.Millisecond,
		ReleaseOnCancel: release,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { e.change(identity, true) },
			OnStoppedLeading: func() { e.change(identity, false) },
		},
	}))
	go func() {
		defer close(ended)
		elector.Run(candidacy)
	}()
	return func() {
		e.change(identity, false)
		cancel()
		<-ended
	}
}

func (e *election) change(identity string, leads bool) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	var others []string
	for _, leader := range e.leaders {
		if leader != identity {
			others = append(others, leader)
		}
	}
	e.leaders = others
	if leads {
		e.terms++
		e.leaders = append(others, identity)
	}
	e.most = max(e.most, len(e.leaders))
}

func (e *election) leader() string {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return strings.Join(e.leaders, " and ")
}

func (e *election) isLedBy(identity string) func() string {
	return func() string {
		if leader := e.leader(); leader != identity {
			return fmt.Sprintf("%q leads instead of %q", leader, identity)
		}
		return ""
	}
}

// renews waits for the leader to renew its lease.
func (e *env) renews(ctx context.Context) {
	first := ""
	eventually(ctx, "renewal", func() string {
		lease, err := e.kube.CoordinationV1().Leases(e.namespace).Get(ctx, "elected", metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		now := lease.Spec.RenewTime.String()
		if first == "" {
			first = now
		}
		if now == first {
			return "the last one is still of " + now
		}
		return ""
	})
}
