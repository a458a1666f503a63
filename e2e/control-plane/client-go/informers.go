package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

var informerChecks = []check{
	{name: "a shared informer streams its list", run: func(ctx context.Context, e *env) {
		config, sent := recording(e.config)
		client := must(kubernetes.NewForConfig(config))
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(e.namespace))
		e.followsConfigMaps(ctx, factory.Core().V1().ConfigMaps().Informer())
		sent.contains("watch=true", "sendInitialEvents=true")
		sent.lacks("limit=")
	}},
	{name: "a shared informer lists, then watches", run: func(ctx context.Context, e *env) {
		config, sent := recording(e.config)
		client := must(kubernetes.NewForConfig(config))
		informer := cache.NewSharedIndexInformer(
			listThenWatch{configMapsOf(client, e.namespace, nil)}, &corev1.ConfigMap{}, 0, cache.Indexers{})
		e.followsConfigMaps(ctx, informer)
		sent.contains("/configmaps?limit=500&resourceVersion=0")
		sent.lacks("sendInitialEvents")
	}},
	{name: "a shared informer works over HTTP/1.1 too", run: func(ctx context.Context, e *env) {
		config := rest.CopyConfig(e.config)
		config.NextProtos = []string{"http/1.1"}
		client := must(kubernetes.NewForConfig(config))
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(e.namespace))
		e.followsConfigMaps(ctx, factory.Core().V1().ConfigMaps().Informer())
	}},
	{name: "a shared informer misses nothing when the server ends its watches", run: func(ctx context.Context, e *env) {
		var mutex sync.Mutex
		watches := 0
		second := int64(1)
		informer := cache.NewSharedIndexInformer(configMapsOf(e.kube, e.namespace, func(options *metav1.ListOptions) {
			options.TimeoutSeconds = &second
			mutex.Lock()
			defer mutex.Unlock()
			watches++
		}), &corev1.ConfigMap{}, 0, cache.Indexers{})
		seen := follow(ctx, informer)
		created := 0
		eventually(ctx, "watches that ended", func() string {
			must(e.kube.CoreV1().ConfigMaps(e.namespace).Create(ctx, configMap(fmt.Sprint("at-", created)), metav1.CreateOptions{}))
			created++
			mutex.Lock()
			defer mutex.Unlock()
			if watches < 4 {
				return fmt.Sprintf("only %d watches so far", watches)
			}
			return ""
		})
		for i := range created {
			seen.wait(ctx, fmt.Sprint("add at-", i))
		}
		equal("events", seen.count("add at-"), created)
	}},
	{name: "an informer of metadata gets metadata only", run: func(ctx context.Context, e *env) {
		config, sent := recording(e.config)
		client := must(metadata.NewForConfig(config))
		labelled := func(options *metav1.ListOptions) { options.LabelSelector = "wanted" }
		factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, e.namespace, labelled)
		informer := factory.ForResource(corev1.SchemeGroupVersion.WithResource("configmaps")).Informer()
		first := configMap("first", "a", "b")
		first.Labels = map[string]string{"wanted": "yes"}
		configMaps := e.kube.CoreV1().ConfigMaps(e.namespace)
		must(configMaps.Create(ctx, first, metav1.CreateOptions{}))
		must(configMaps.Create(ctx, configMap("unlabelled"), metav1.CreateOptions{}))
		seen := follow(ctx, informer)
		seen.wait(ctx, "add first")
		must(configMaps.Update(ctx, &corev1.ConfigMap{ObjectMeta: first.ObjectMeta}, metav1.UpdateOptions{}))
		seen.wait(ctx, "update first")
		ok(configMaps.Delete(ctx, "first", metav1.DeleteOptions{}))
		seen.wait(ctx, "delete first")
		equal("events of others", seen.count("unlabelled"), 0)
		sent.contains("as=PartialObjectMetadata")
	}},
	{name: "a dynamic informer follows a custom resource", run: func(ctx context.Context, e *env) {
		widgets := e.newDefinition(ctx, "informed")
		factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(e.dynamic, 0, e.namespace, nil)
		client := e.dynamic.Resource(widgets).Namespace(e.namespace)
		must(client.Create(ctx, widget(widgets, "one", 1), metav1.CreateOptions{}))
		seen := follow(ctx, factory.ForResource(widgets).Informer())
		seen.wait(ctx, "add one")
		must(client.Create(ctx, widget(widgets, "two", 2), metav1.CreateOptions{}))
		seen.wait(ctx, "add two")
		ok(client.Delete(ctx, "one", metav1.DeleteOptions{}))
		seen.wait(ctx, "delete one")
		listed := must(factory.ForResource(widgets).Lister().List(labels.Everything()))
		equal("cached widgets", len(listed), 1)
	}},
}

func (e *env) followsConfigMaps(ctx context.Context, informer cache.SharedIndexInformer) {
	configMaps := e.kube.CoreV1().ConfigMaps(e.namespace)
	must(configMaps.Create(ctx, configMap("before", "n", "1"), metav1.CreateOptions{}))
	seen := follow(ctx, informer)
	seen.wait(ctx, "add before")
	must(configMaps.Create(ctx, configMap("after", "n", "1"), metav1.CreateOptions{}))
	seen.wait(ctx, "add after")
	must(configMaps.Update(ctx, configMap("before", "n", "2"), metav1.UpdateOptions{}))
	seen.wait(ctx, "update before")
	cached, found, err := informer.GetStore().GetByKey(e.namespace + "/before")
	ok(err)
	equal("found", found, true)
	equal("cached data", cached.(*corev1.ConfigMap).Data["n"], "2")
	ok(configMaps.Delete(ctx, "after", metav1.DeleteOptions{}))
	seen.wait(ctx, "delete after")
}

// A seen has the events of an informer as "add name", "update name" and "delete name".
type seen struct {
	mutex  sync.Mutex
	events []string
}

// follow runs an informer until the program ends, and returns when it has synced.
func follow(ctx context.Context, informer cache.SharedIndexInformer) *seen {
	s := &seen{}
	note := func(verb string, object any) {
		if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = unknown.Obj
		}
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.events = append(s.events, verb+" "+must(meta.Accessor(object)).GetName())
	}
	must(informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { note("add", object) },
		UpdateFunc: func(_, object any) { note("update", object) },
		DeleteFunc: func(object any) { note("delete", object) },
	}))
	go informer.RunWithContext(context.WithoutCancel(ctx))
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		fail("the informer did not sync")
	}
	return s
}

func (s *seen) wait(ctx context.Context, event string) {
	eventually(ctx, "informer", func() string {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		if slices.Contains(s.events, event) {
			return ""
		}
		return fmt.Sprintf("no %q in %q", event, s.events)
	})
}

func (s *seen) count(part string) int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	count := 0
	for _, event := range s.events {
		if strings.Contains(event, part) {
			count++
		}
	}
	return count
}

func configMapsOf(client kubernetes.Interface, namespace string, onWatch func(*metav1.ListOptions)) *cache.ListWatch {
	configMaps := client.CoreV1().ConfigMaps(namespace)
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return configMaps.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			if onWatch != nil {
				onWatch(&options)
			}
			return configMaps.Watch(ctx, options)
		},
	}
}

// listThenWatch makes a reflector do as those did that knew no streaming lists.
type listThenWatch struct{ *cache.ListWatch }

func (listThenWatch) IsWatchListSemanticsUnSupported() bool { return true }

// requests has what a client sent: method, URL and the types it accepts.
type requests struct {
	mutex sync.Mutex
	lines []string
}

type recorder struct {
	next http.RoundTripper
	sent *requests
}

func (r recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	line := strings.Join([]string{request.Method, request.URL.RequestURI(), request.Header.Get("Accept"),
		request.Header.Get("Content-Type")}, " ")
	r.sent.mutex.Lock()
	r.sent.lines = append(r.sent.lines, line)
	r.sent.mutex.Unlock()
	return r.next.RoundTrip(request)
}

func recording(config *rest.Config) (*rest.Config, *requests) {
	sent := &requests{}
	copied := rest.CopyConfig(config)
	copied.Wrap(func(next http.RoundTripper) http.RoundTripper { return recorder{next, sent} })
	return copied, sent
}

func (r *requests) with(parts ...string) int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	count := 0
	for _, line := range r.lines {
		if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) }) {
			count++
		}
	}
	return count
}

func (r *requests) contains(parts ...string) {
	if r.with(parts...) == 0 {
		fail("no request with %q in %q", parts, r.lines)
	}
}

func (r *requests) lacks(part string) {
	if r.with(part) > 0 {
		fail("a request with %q in %q", part, r.lines)
	}
}
