package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	typedcore "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
)

var eventChecks = []check{
	{name: "an event recorder counts what happens again", run: func(ctx context.Context, e *env) {
		about := must(e.kube.CoreV1().ConfigMaps(e.namespace).Create(ctx, configMap("about"), metav1.CreateOptions{}))
		broadcaster := record.NewBroadcaster(record.WithContext(ctx))
		defer broadcaster.Shutdown()
		broadcaster.StartRecordingToSink(&typedcore.EventSinkImpl{Interface: e.kube.CoreV1().Events("")})
		recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "checks"})
		for range 3 {
			recorder.Event(about, corev1.EventTypeWarning, "Tested", "it was tested")
		}
		eventually(ctx, "events", func() string {
			found := must(e.kube.CoreV1().Events(e.namespace).List(ctx, metav1.ListOptions{
				FieldSelector: "involvedObject.name=about,reason=Tested,type=Warning",
			})).Items
			if len(found) == 1 && found[0].Count == 3 && found[0].InvolvedObject.UID == about.UID {
				return ""
			}
			return fmt.Sprintf("%+v", found)
		})
	}},
	{name: "an event recorder of events.k8s.io makes a series", run: func(ctx context.Context, e *env) {
		about := must(e.kube.CoreV1().ConfigMaps(e.namespace).Create(ctx, configMap("about"), metav1.CreateOptions{}))
		broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: e.kube.EventsV1()})
		defer broadcaster.Shutdown()
		ok(broadcaster.StartRecordingToSinkWithContext(ctx))
		recorder := broadcaster.NewRecorder(scheme.Scheme, "example.com/checks")
		recorder.Eventf(about, nil, corev1.EventTypeNormal, "Tested", "Testing", "it was tested")
		listed := func(complaint func(reason string, series int32) string) func() string {
			return func() string {
				found := must(e.kube.EventsV1().Events(e.namespace).List(ctx, metav1.ListOptions{})).Items
				if len(found) != 1 {
					return fmt.Sprintf("%d events", len(found))
				}
				count := int32(0)
				if found[0].Series != nil {
					count = found[0].Series.Count
				}
				return complaint(found[0].Reason, count)
			}
		}
		eventually(ctx, "events", listed(func(reason string, _ int32) string {
			equal("reason", reason, "Tested")
			return ""
		}))
		recorder.Eventf(about, nil, corev1.EventTypeNormal, "Tested", "Testing", "it was tested")
		eventually(ctx, "events", listed(func(_ string, series int32) string {
			if series == 2 {
				return ""
			}
			return fmt.Sprintf("a series of %d", series)
		}))
		legacy := must(e.kube.CoreV1().Events(e.namespace).List(ctx, metav1.ListOptions{})).Items
		equal("the same by the core group", legacy[0].InvolvedObject.Name, "about")
	}},
}
