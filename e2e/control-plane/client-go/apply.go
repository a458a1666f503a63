package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
)

var applyChecks = []check{
	{name: "typed apply: one manager's field is another's conflict until it is forced", run: func(ctx context.Context, e *env) {
		configMaps := e.kube.CoreV1().ConfigMaps(e.namespace)
		of := func(data map[string]string) *coreapply.ConfigMapApplyConfiguration {
			return coreapply.ConfigMap("applied", e.namespace).WithData(data)
		}
		one := metav1.ApplyOptions{FieldManager: "one"}
		first := must(configMaps.Apply(ctx, of(map[string]string{"a": "1", "b": "1"}), one))
		again := must(configMaps.Apply(ctx, of(map[string]string{"a": "1", "b": "1"}), one))
		equal("version after the same again", again.ResourceVersion, first.ResourceVersion)

		_, err := configMaps.Apply(ctx, of(map[string]string{"a": "2"}), metav1.ApplyOptions{FieldManager: "two"})
		refused("a second manager's value", err, apierrors.IsConflict, `conflict with "one": .data.a`)
		causes := err.(*apierrors.StatusError).Status().Details.Causes
		equal("causes", causes, []metav1.StatusCause{{
			Type: metav1.CauseTypeFieldManagerConflict, Message: `conflict with "one"`, Field: ".data.a",
		}})
		forced := must(configMaps.Apply(ctx, of(map[string]string{"a": "2"}), metav1.ApplyOptions{FieldManager: "two", Force: true}))
		equal("data", forced.Data, map[string]string{"a": "2", "b": "1"})
		extracted := must(coreapply.ExtractConfigMap(forced, "two"))
		equal("what the second manager owns", extracted.Data, map[string]string{"a": "2"})
		extracted = must(coreapply.ExtractConfigMap(forced, "one"))
		equal("what is left to the first", extracted.Data, map[string]string{"b": "1"})
		dropped := must(configMaps.Apply(ctx, of(nil), one))
		equal("data without the first manager's", dropped.Data, map[string]string{"a": "2"})
	}},
	{name: "typed apply: lists are merged by their keys", run: func(ctx context.Context, e *env) {
		deployments := e.kube.AppsV1().Deployments(e.namespace)
		of := func(containers ...*coreapply.ContainerApplyConfiguration) *appsapply.DeploymentApplyConfiguration {
			labels := map[string]string{"app": "applied"}
			return appsapply.Deployment("applied", e.namespace).WithSpec(appsapply.DeploymentSpec().
				WithSelector(metaapply.LabelSelector().WithMatchLabels(labels)).
				WithTemplate(coreapply.PodTemplateSpec().WithLabels(labels).WithSpec(coreapply.PodSpec().WithContainers(containers...))))
		}
		main := coreapply.Container().WithName("main").WithImage("main:1").WithPorts(
			coreapply.ContainerPort().WithContainerPort(80), coreapply.ContainerPort().WithContainerPort(443))
		side := coreapply.Container().WithName("side").WithImage("side:1")
		must(deployments.Apply(ctx, of(main), metav1.ApplyOptions{FieldManager: "one"}))
		both := must(deployments.Apply(ctx, of(side), metav1.ApplyOptions{FieldManager: "two"}))
		equal("containers", names(both), []string{"main", "side"})
		equal("default", both.Spec.Template.Spec.Containers[0].Ports[0].Protocol, corev1.ProtocolTCP)

		// A controller with the replicas in its hands does not lose them to the one who applies the rest.
		scaled := scaleOf(e.namespace, "applied", 3)
		_, err := deployments.ApplyScale(ctx, "applied", scaled, metav1.ApplyOptions{FieldManager: "scaler"})
		refused("a value other than the default", err, apierrors.IsConflict, ".spec.replicas")
		must(deployments.ApplyScale(ctx, "applied", scaled, metav1.ApplyOptions{FieldManager: "scaler", Force: true}))
		none := must(deployments.Apply(ctx, of(main.WithImage("main:2")), metav1.ApplyOptions{FieldManager: "one"}))
		equal("replicas", *none.Spec.Replicas, 3)
		equal("image", none.Spec.Template.Spec.Containers[0].Image, "main:2")
		left := must(deployments.Apply(ctx, of(), metav1.ApplyOptions{FieldManager: "two"}))
		equal("containers", names(left), []string{"main"})
	}},
	{name: "dynamic apply: conflict, force, and status by itself", run: func(ctx context.Context, e *env) {
		widgets := e.newDefinition(ctx, "applied")
		client := e.dynamic.Resource(widgets).Namespace(e.namespace)
		must(client.Apply(ctx, "applied", widget(widgets, "applied", 1), metav1.ApplyOptions{FieldManager: "one"}))
		_, err := client.Apply(ctx, "applied", widget(widgets, "applied", 2), metav1.ApplyOptions{FieldManager: "two"})
		refused("a second manager's value", err, apierrors.IsConflict, ".spec.size")
		forced := must(client.Apply(ctx, "applied", widget(widgets, "applied", 2), metav1.ApplyOptions{FieldManager: "two", Force: true}))
		size, _, _ := unstructured.NestedInt64(forced.Object, "spec", "size")
		equal("size", size, 2)

		status := widget(widgets, "applied", 7)
		status.Object["status"] = map[string]any{"phase": "Ready"}
		applied := must(client.ApplyStatus(ctx, "applied", status, metav1.ApplyOptions{FieldManager: "status", Force: true}))
		phase, _, _ := unstructured.NestedString(applied.Object, "status", "phase")
		size, _, _ = unstructured.NestedInt64(applied.Object, "spec", "size")
		equal("phase", phase, "Ready")
		equal("size that only the main resource sets", size, 2)
		equal("generation that only spec raises", applied.GetGeneration(), forced.GetGeneration())
	}},
}

func names(deployment *appsv1.Deployment) []string {
	var found []string
	for _, container := range deployment.Spec.Template.Spec.Containers {
		found = append(found, container.Name)
	}
	return found
}
