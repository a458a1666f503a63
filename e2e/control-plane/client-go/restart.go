package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

var restartChecks = []restartCheck{
	{"an informer that streams its list goes on after a restart of the server", func(ctx context.Context, e *env) func(context.Context, *env) {
		factory := informers.NewSharedInformerFactoryWithOptions(e.kube, 0, informers.WithNamespace(e.namespace))
		return e.goesOn(ctx, factory.Core().V1().ConfigMaps().Informer())
	}},
	{"an informer that lists, then watches, goes on after a restart of the server", func(ctx context.Context, e *env) func(context.Context, *env) {
		source := listThenWatch{configMapsOf(e.kube, e.namespace, nil)}
		return e.goesOn(ctx, cache.NewSharedIndexInformer(source, &corev1.ConfigMap{}, 0, cache.Indexers{}))
	}},
	{"a leader leads on over a restart of the server", func(ctx context.Context, e *env) func(context.Context, *env) {
		// Longer than a restart takes.
		election := &election{env: e, lease: 30 * time.Second}
		election.enter(context.WithoutCancel(ctx), "only", false)
		eventually(ctx, "leader", election.isLedBy("only"))
		return func(ctx context.Context, _ *env) {
			e.renews(ctx)
			equal("leader", election.leader(), "only")
			equal("times that it began to lead", election.terms, 1)
		}
	}},
	{"tokens and certificates are good after a restart of the server", func(ctx context.Context, e *env) func(context.Context, *env) {
		robot := e.as(rest.Config{BearerToken: e.tokenOf(ctx, "robot", nil)})
		signed := e.as(certificateOf(ctx, e, "signed"))
		return func(ctx context.Context, _ *env) {
			equal("name by the token", whoami(ctx, robot).Username, "system:serviceaccount:"+e.namespace+":robot")
			equal("name by the certificate", whoami(ctx, signed).Username, "signed")
		}
	}},
	{"a custom resource and its kind are there after a restart of the server", func(ctx context.Context, e *env) func(context.Context, *env) {
		widgets := e.newDefinition(ctx, "kept")
		client := e.dynamic.Resource(widgets).Namespace(e.namespace)
		before := must(client.Create(ctx, widget(widgets, "one", 1), metav1.CreateOptions{}))
		return func(ctx context.Context, _ *env) {
			within(ctx, "custom resource", func() error {
				after, err := client.Get(ctx, "one", metav1.GetOptions{})
				if err == nil {
					equal("object", after.Object, before.Object)
				}
				return err
			})
		}
	}},
}

// goesOn runs an informer over the restart: it hears of all that happens afterwards, and of nothing twice.
func (e *env) goesOn(ctx context.Context, informer cache.SharedIndexInformer) func(context.Context, *env) {
	configMaps := e.kube.CoreV1().ConfigMaps(e.namespace)
	for _, name := range []string{"stays", "goes"} {
		must(configMaps.Create(ctx, configMap(name), metav1.CreateOptions{}))
	}
	seen := follow(ctx, informer)
	seen.wait(ctx, "add stays")
	return func(ctx context.Context, _ *env) {
		within(ctx, "create", func() error {
			_, err := configMaps.Create(ctx, configMap("comes"), metav1.CreateOptions{})
			return err
		})
		ok(configMaps.Delete(ctx, "goes", metav1.DeleteOptions{}))
		seen.wait(ctx, "add comes")
		seen.wait(ctx, "delete goes")
		equal("times that it was added", seen.count("add stays"), 1)
		equal("times that it was deleted", seen.count("delete stays"), 0)
		equal("cached", len(informer.GetStore().ListKeys()) >= 2, true)
	}
}
