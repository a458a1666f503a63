package main

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	autoscalingapply "k8s.io/client-go/applyconfigurations/autoscaling/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

var typedChecks = []check{
	{name: "typed objects are written and read in JSON", run: func(ctx context.Context, e *env) {
		e.writesAndReads(ctx, runtime.ContentTypeJSON)
	}},
	{name: "typed objects are written and read in protobuf", run: func(ctx context.Context, e *env) {
		e.writesAndReads(ctx, runtime.ContentTypeProtobuf)
	}},
	{name: "what was written in protobuf is the same as what was written in JSON", run: func(ctx context.Context, e *env) {
		written := map[string]*appsv1.Deployment{}
		for name, content := range map[string]string{"json": runtime.ContentTypeJSON, "protobuf": runtime.ContentTypeProtobuf} {
			deployments := e.clientOf(content).AppsV1().Deployments(e.namespace)
			made := must(deployments.Create(ctx, named(deployment("same"), name), metav1.CreateOptions{FieldManager: "checks"}))
			equal("managers of "+name, len(made.ManagedFields), 1)
			written[name] = made
		}
		equal("spec", written["protobuf"].Spec, written["json"].Spec)
		equal("managed fields", string(written["protobuf"].ManagedFields[0].FieldsV1.Raw), string(written["json"].ManagedFields[0].FieldsV1.Raw))
	}},
	{name: "subresources status and scale of a typed object", run: func(ctx context.Context, e *env) {
		deployments := e.kube.AppsV1().Deployments(e.namespace)
		made := must(deployments.Create(ctx, deployment("scaled"), metav1.CreateOptions{}))
		scale := must(deployments.GetScale(ctx, "scaled", metav1.GetOptions{}))
		equal("selector", scale.Status.Selector, "app=scaled")
		scale.Spec.Replicas = 5
		updated := must(deployments.UpdateScale(ctx, "scaled", scale, metav1.UpdateOptions{}))
		equal("replicas", updated.Spec, autoscalingv1.ScaleSpec{Replicas: 5})
		patch := []byte(`{"spec":{"replicas":9},"status":{"conditions":[{"type":"Tested","status":"True"}]}}`)
		patched := must(deployments.Patch(ctx, "scaled", types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status"))
		equal("replicas that status does not set", *patched.Spec.Replicas, 5)
		equal("generation", patched.Generation, made.Generation+1)
	}},
}

func (e *env) clientOf(contentType string) *kubernetes.Clientset {
	config := rest.CopyConfig(e.config)
	config.ContentType = contentType
	return must(kubernetes.NewForConfig(config))
}

func (e *env) writesAndReads(ctx context.Context, contentType string) {
	config, sent := recording(e.config)
	config.ContentType = contentType
	client := must(kubernetes.NewForConfig(config))

	deployments := client.AppsV1().Deployments(e.namespace)
	made := must(deployments.Create(ctx, deployment("typed"), metav1.CreateOptions{}))
	equal("type", made.Spec.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)
	equal("memory", made.Spec.Template.Spec.Containers[0].Resources.Limits.Memory().String(), "64Mi")
	equal("time that was set", made.CreationTimestamp.IsZero(), false)
	_, err := deployments.Create(ctx, deployment("typed"), metav1.CreateOptions{})
	refused("a second of the name", err, apierrors.IsAlreadyExists)

	made.Spec.Paused = true
	updated := must(deployments.Update(ctx, made, metav1.UpdateOptions{}))
	equal("generation", updated.Generation, int64(2))
	_, err = deployments.Update(ctx, made, metav1.UpdateOptions{})
	refused("an update of an old version", err, apierrors.IsConflict)
	for kind, patch := range map[types.PatchType]string{
		types.StrategicMergePatchType: `{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"patched:1"}]}}}}`,
		types.MergePatchType:          `{"metadata":{"labels":{"merged":"yes"}},"spec":{"paused":null}}`,
		types.JSONPatchType:           `[{"op":"replace","path":"/spec/replicas","value":4}]`,
	} {
		must(deployments.Patch(ctx, "typed", kind, []byte(patch), metav1.PatchOptions{}))
	}
	patched := must(deployments.Get(ctx, "typed", metav1.GetOptions{}))
	equal("image", patched.Spec.Template.Spec.Containers[0].Image, "patched:1")
	equal("ports that the patch left", len(patched.Spec.Template.Spec.Containers[0].Ports), 1)
	equal("labels", patched.Labels, map[string]string{"merged": "yes"})
	equal("paused", patched.Spec.Paused, false)
	equal("replicas", *patched.Spec.Replicas, 4)

	wrong := deployment("wrong")
	wrong.Spec.Selector.MatchLabels = map[string]string{"app": "other"}
	_, err = deployments.Create(ctx, wrong, metav1.CreateOptions{})
	refused("a selector that misses its pods", err, apierrors.IsInvalid)
	dry := must(deployments.Create(ctx, deployment("dry"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}))
	equal("name", dry.Name, "dry")
	_, err = deployments.Get(ctx, "dry", metav1.GetOptions{})
	refused("what was never stored", err, apierrors.IsNotFound)

	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "typed-"},
		Data:       map[string][]byte{"bytes": {0, 255, 1}},
		StringData: map[string]string{"text": "ä"},
	}
	kept := must(client.CoreV1().Secrets(e.namespace).Create(ctx, secret, metav1.CreateOptions{}))
	equal("data", kept.Data, map[string][]byte{"bytes": {0, 255, 1}, "text": []byte("ä")})
	equal("secret's type", kept.Type, corev1.SecretTypeOpaque)

	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "typed"}, Spec: corev1.ServiceSpec{
		Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromString("http")}, {Name: "b", Port: 81}},
	}}
	service.Spec.Ports[0].Name = "a"
	served := must(client.CoreV1().Services(e.namespace).Create(ctx, service, metav1.CreateOptions{}))
	equal("target ports", []string{served.Spec.Ports[0].TargetPort.String(), served.Spec.Ports[1].TargetPort.String()}, []string{"http", "81"})

	now := metav1.NewMicroTime(time.Date(2030, 1, 2, 3, 4, 5, 678901000, time.UTC))
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "typed"}, Spec: coordinationv1.LeaseSpec{RenewTime: &now}}
	leased := must(client.CoordinationV1().Leases(e.namespace).Create(ctx, lease, metav1.CreateOptions{}))
	equal("time to the microsecond", leased.Spec.RenewTime.UTC(), now.UTC())

	uid := types.UID("another")
	err = deployments.Delete(ctx, "typed", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
	refused("the deletion of another object", err, apierrors.IsConflict)
	ok(deployments.Delete(ctx, "typed", metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(made.UID))}))
	ok(client.CoreV1().Secrets(e.namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	equal("secrets", len(must(client.CoreV1().Secrets(e.namespace).List(ctx, metav1.ListOptions{})).Items), 0)
	sent.contains("POST", "/deployments", contentType+", */* "+contentType)
}

func deployment(name string) *appsv1.Deployment {
	selected := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: selected},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{
					Name: "main", Image: "main:1",
					Ports:     []corev1.ContainerPort{{ContainerPort: 80}},
					Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("64Mi")}},
					LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
						HTTPGet: &corev1.HTTPGetAction{Path: "/", Port: intstr.FromInt32(80)},
					}},
				}}},
			},
		},
	}
}

func named(made *appsv1.Deployment, name string) *appsv1.Deployment {
	made.Name = name
	return made
}

func scaleOf(namespace, name string, replicas int32) *autoscalingapply.ScaleApplyConfiguration {
	return autoscalingapply.Scale().WithNamespace(namespace).WithName(name).
		WithSpec(autoscalingapply.ScaleSpec().WithReplicas(replicas))
}
