package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	watchtools "k8s.io/client-go/tools/watch"
)

var watchChecks = []check{
	{name: "a streaming list ends with a bookmark, and the watch goes on", run: func(ctx context.Context, e *env) {
		configMaps := e.kube.CoreV1().ConfigMaps(e.namespace)
		must(configMaps.Create(ctx, configMap("first", "mine", "yes"), metav1.CreateOptions{}))
		yes := true
		watching := must(configMaps.Watch(ctx, metav1.ListOptions{
			SendInitialEvents: &yes, AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
			FieldSelector: "metadata.name!=kube-root-ca.crt",
		}))
		defer watching.Stop()
		equal("first event", next(ctx, watching), "ADDED first")
		event := nextEvent(ctx, watching)
		equal("second event", event.Type, watch.Bookmark)
		bookmark := event.Object.(*corev1.ConfigMap)
		equal("annotations", bookmark.Annotations, map[string]string{metav1.InitialEventsAnnotationKey: "true"})
		must(configMaps.Create(ctx, configMap("second"), metav1.CreateOptions{}))
		equal("third event", next(ctx, watching), "ADDED second")
	}},
	{name: "a watch resumes from its last bookmark", run: func(ctx context.Context, e *env) {
		configMaps := e.kube.CoreV1().ConfigMaps(e.namespace)
		made := must(configMaps.Create(ctx, configMap("first"), metav1.CreateOptions{}))
		others := e.kube.CoreV1().Secrets(e.namespace)
		must(others.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "other"}}, metav1.CreateOptions{}))
		seconds := int64(4)
		selected := "metadata.name!=kube-root-ca.crt"
		watching := must(configMaps.Watch(ctx, metav1.ListOptions{
			ResourceVersion: made.ResourceVersion, AllowWatchBookmarks: true, TimeoutSeconds: &seconds, FieldSelector: selected,
		}))
		version := ""
		for event := range watching.ResultChan() {
			equal("event", event.Type, watch.Bookmark)
			version = event.Object.(*corev1.ConfigMap).ResourceVersion
		}
		if version == "" {
			fail("the watch ended without a bookmark")
		}
		must(configMaps.Create(ctx, configMap("second"), metav1.CreateOptions{}))
		resumed := must(configMaps.Watch(ctx, metav1.ListOptions{ResourceVersion: version, FieldSelector: selected}))
		defer resumed.Stop()
		equal("first event after it", next(ctx, resumed), "ADDED second")
	}},
	{name: "a watch says when an object enters and leaves its selection", run: func(ctx context.Context, e *env) {
		configMaps := e.kube.CoreV1().ConfigMaps(e.namespace)
		version := must(configMaps.List(ctx, metav1.ListOptions{})).ResourceVersion
		watching := must(configMaps.Watch(ctx, metav1.ListOptions{LabelSelector: "in=yes", ResourceVersion: version}))
		defer watching.Stop()
		object := must(configMaps.Create(ctx, configMap("moving"), metav1.CreateOptions{}))
		for _, label := range []string{"yes", "no"} {
			object.Labels = map[string]string{"in": label}
			object = must(configMaps.Update(ctx, object, metav1.UpdateOptions{}))
		}
		equal("first event", next(ctx, watching), "ADDED moving")
		equal("second event", next(ctx, watching), "DELETED moving")
	}},
	{name: "a retrying watcher goes on over watches that the server ends", run: func(ctx context.Context, e *env) {
		second := int64(1)
		version := must(e.kube.CoreV1().ConfigMaps(e.namespace).List(ctx, metav1.ListOptions{})).ResourceVersion
		source := configMapsOf(e.kube, e.namespace, func(options *metav1.ListOptions) {
			options.TimeoutSeconds = &second
			options.FieldSelector = "metadata.name!=kube-root-ca.crt"
		})
		watching := must(watchtools.NewRetryWatcherWithContext(ctx, version, source))
		defer watching.Stop()
		for i := range 3 {
			name := fmt.Sprint("at-", i)
			must(e.kube.CoreV1().ConfigMaps(e.namespace).Create(ctx, configMap(name), metav1.CreateOptions{}))
			equal("event", next(ctx, watching), "ADDED "+name)
			time.Sleep(800 * time.Millisecond)
		}
	}},
}

func nextEvent(ctx context.Context, watching watch.Interface) watch.Event {
	select {
	case event, open := <-watching.ResultChan():
		if !open {
			fail("the watch has ended")
		}
		return event
	case <-ctx.Done():
		fail("no event came")
		return watch.Event{}
	}
}

// next is the next event of an object; bookmarks come when the server likes.
func next(ctx context.Context, watching watch.Interface) string {
	event := nextEvent(ctx, watching)
	for event.Type == watch.Bookmark {
		event = nextEvent(ctx, watching)
	}
	if object, ok := event.Object.(metav1.Object); ok {
		return fmt.Sprint(event.Type, " ", object.GetName())
	}
	return fmt.Sprintf("%s %+v", event.Type, event.Object)
}
