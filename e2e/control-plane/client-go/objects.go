package main

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
)

var objectChecks = []check{
	{name: "those who retry on conflict lose no update", run: func(ctx context.Context, e *env) {
		const writers, each = 4, 5
		configMaps := e.kube.CoreV1().ConfigMaps(e.namespace)
		must(configMaps.Create(ctx, configMap("counter", "n", "0"), metav1.CreateOptions{}))
		errors := make(chan error, writers*each)
		var all sync.WaitGroup
		for range writers {
			all.Go(func() {
				for range each {
					errors <- retry.RetryOnConflict(wait.Backoff{Steps: 200, Duration: 1e6, Jitter: 1}, func() error {
						counter, err := configMaps.Get(ctx, "counter", metav1.GetOptions{})
						if err != nil {
							return err
						}
						n, _ := strconv.Atoi(counter.Data["n"])
						counter.Data["n"] = strconv.Itoa(n + 1)
						_, err = configMaps.Update(ctx, counter, metav1.UpdateOptions{})
						return err
					})
				}
			})
		}
		all.Wait()
		for range writers * each {
			ok(<-errors)
		}
		equal("count", must(configMaps.Get(ctx, "counter", metav1.GetOptions{})).Data["n"], strconv.Itoa(writers*each))
	}},
	{name: "an object with a finalizer stays until its controller lets it go", run: func(ctx context.Context, e *env) {
		configMaps := e.kube.CoreV1().ConfigMaps(e.namespace)
		held := configMap("held")
		held.Finalizers = []string{"example.com/one", "example.com/two"}
		made := must(configMaps.Create(ctx, held, metav1.CreateOptions{}))
		watching := must(configMaps.Watch(ctx, metav1.ListOptions{
			ResourceVersion: made.ResourceVersion, FieldSelector: "metadata.name=held",
		}))
		defer watching.Stop()
		ok(configMaps.Delete(ctx, "held", metav1.DeleteOptions{}))
		ok(configMaps.Delete(ctx, "held", metav1.DeleteOptions{}))
		marked := must(configMaps.Get(ctx, "held", metav1.GetOptions{}))
		if marked.DeletionTimestamp == nil {
			fail("the object has no deletion timestamp")
		}
		marked.Finalizers = append(marked.Finalizers, "example.com/late")
		_, err := configMaps.Update(ctx, marked, metav1.UpdateOptions{})
		refused("a finalizer for an object that is being deleted", err, apierrors.IsInvalid, "no new finalizers can be added")
		patch := []byte(`{"metadata":{"finalizers":["example.com/two"]}}`)
		must(configMaps.Patch(ctx, "held", types.MergePatchType, patch, metav1.PatchOptions{}))
		last := must(configMaps.Patch(ctx, "held", types.JSONPatchType,
			[]byte(`[{"op":"remove","path":"/metadata/finalizers"}]`), metav1.PatchOptions{}))
		equal("finalizers", len(last.Finalizers), 0)
		_, err = configMaps.Get(ctx, "held", metav1.GetOptions{})
		refused("what is gone", err, apierrors.IsNotFound)
		equal("deleted", next(ctx, watching), "MODIFIED held")
		equal("one finalizer left", next(ctx, watching), "MODIFIED held")
		equal("no finalizer left", next(ctx, watching), "DELETED held")
	}},
	{name: "dependents go with their owner, in the background and before it", run: func(ctx context.Context, e *env) {
		configMaps := e.kube.CoreV1().ConfigMaps(e.namespace)
		for _, policy := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground} {
			owner := must(configMaps.Create(ctx, configMap("owner"), metav1.CreateOptions{}))
			dependent := configMap("dependent")
			blocks := true
			dependent.OwnerReferences = []metav1.OwnerReference{{
				APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID, BlockOwnerDeletion: &blocks,
			}}
			must(configMaps.Create(ctx, dependent, metav1.CreateOptions{}))
			ok(configMaps.Delete(ctx, "owner", metav1.DeleteOptions{PropagationPolicy: &policy}))
			eventually(ctx, string(policy), func() string {
				_, ownerIs := configMaps.Get(ctx, "owner", metav1.GetOptions{})
				_, dependentIs := configMaps.Get(ctx, "dependent", metav1.GetOptions{})
				if apierrors.IsNotFound(ownerIs) && apierrors.IsNotFound(dependentIs) {
					return ""
				}
				if policy == metav1.DeletePropagationForeground && apierrors.IsNotFound(ownerIs) {
					fail("the owner went first")
				}
				return fmt.Sprint("owner: ", ownerIs, ", dependent: ", dependentIs)
			})
		}
	}},
	{name: "an eviction asks the disruption budget", run: func(ctx context.Context, e *env) {
		pods := e.kube.CoreV1().Pods(e.namespace)
		// Pods need the namespace's account, which a controller makes.
		within(ctx, "service account", func() error {
			_, err := e.kube.CoreV1().ServiceAccounts(e.namespace).Get(ctx, "default", metav1.GetOptions{})
			return err
		})
		made := must(pods.Create(ctx, pod("guarded"), metav1.CreateOptions{}))
		made.Status.Phase = corev1.PodRunning
		must(pods.UpdateStatus(ctx, made, metav1.UpdateOptions{}))
		one := intstr.FromInt32(1)
		budgets := e.kube.PolicyV1().PodDisruptionBudgets(e.namespace)
		must(budgets.Create(ctx, &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Name: "guard"},
			Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: &one, Selector: &metav1.LabelSelector{MatchLabels: made.Labels}},
		}, metav1.CreateOptions{}))
		// As its controller would say it; until that has looked, clients are told to come back later.
		status := []byte(`{"status":{"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":0,"desiredHealthy":1,"expectedPods":1}}`)
		must(budgets.Patch(ctx, "guard", types.MergePatchType, status, metav1.PatchOptions{}, "status"))
		eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "guarded"}}
		refused("the eviction of a guarded pod", pods.EvictV1(ctx, eviction), apierrors.IsTooManyRequests, "disruption budget")
		ok(budgets.Delete(ctx, "guard", metav1.DeleteOptions{}))
		within(ctx, "eviction", func() error { return pods.EvictV1(ctx, eviction) })
		_, err := pods.Get(ctx, "guarded", metav1.GetOptions{})
		refused("an evicted pod", err, apierrors.IsNotFound)
	}},
	{name: "a deleted namespace takes its objects along", run: func(ctx context.Context, e *env) {
		held := configMap("held")
		held.Finalizers = []string{"example.com/hold"}
		must(e.kube.CoreV1().ConfigMaps(e.namespace).Create(ctx, held, metav1.CreateOptions{}))
		namespaces := e.kube.CoreV1().Namespaces()
		ok(namespaces.Delete(ctx, e.namespace, metav1.DeleteOptions{}))
		_, err := e.kube.CoreV1().ConfigMaps(e.namespace).Create(ctx, configMap("late"), metav1.CreateOptions{})
		refused("an object in a namespace that ends", err, apierrors.IsForbidden, "is being terminated")
		equal("cause", apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause), true)
		must(e.kube.CoreV1().ConfigMaps(e.namespace).Patch(ctx, "held", types.MergePatchType,
			[]byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}))
		eventually(ctx, "namespace", func() string {
			_, err := namespaces.Get(ctx, e.namespace, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return ""
			}
			return "is still there"
		})
	}},
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "main:1"}}},
	}
}
