package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"
)

var listChecks = []check{
	{name: "pages are of one moment", run: func(ctx context.Context, e *env) {
		secrets := e.kube.CoreV1().Secrets(e.namespace)
		for i := range 7 {
			must(secrets.Create(ctx, secret(fmt.Sprint("s-", i), corev1.SecretTypeOpaque), metav1.CreateOptions{}))
		}
		first := must(secrets.List(ctx, metav1.ListOptions{Limit: 3}))
		equal("items", len(first.Items), 3)
		equal("remaining", *first.RemainingItemCount, 4)
		ok(secrets.Delete(ctx, "s-5", metav1.DeleteOptions{}))
		must(secrets.Create(ctx, secret("s-9", corev1.SecretTypeOpaque), metav1.CreateOptions{}))
		second := must(secrets.List(ctx, metav1.ListOptions{Limit: 3, Continue: first.Continue}))
		equal("version of the second page", second.ResourceVersion, first.ResourceVersion)
		third := must(secrets.List(ctx, metav1.ListOptions{Limit: 3, Continue: second.Continue}))
		equal("continue", third.Continue, "")
		all := slices.Concat(first.Items, second.Items, third.Items)
		equal("names", secretNames(all), "s-0 s-1 s-2 s-3 s-4 s-5 s-6")
		_, err := secrets.List(ctx, metav1.ListOptions{Limit: 3, Continue: "nonsense"})
		refused("a continue token that is none", err, apierrors.IsBadRequest)
	}},
	{name: "a pager reads all pages", run: func(ctx context.Context, e *env) {
		secrets := e.kube.CoreV1().Secrets(e.namespace)
		for i := range 5 {
			must(secrets.Create(ctx, secret(fmt.Sprint("s-", i), corev1.SecretTypeOpaque), metav1.CreateOptions{}))
		}
		pages := 0
		reading := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			pages++
			return secrets.List(ctx, options)
		})
		reading.PageSize = 2
		var read []corev1.Secret
		ok(reading.EachListItem(ctx, metav1.ListOptions{}, func(object runtime.Object) error {
			read = append(read, *object.(*corev1.Secret))
			return nil
		}))
		equal("names", secretNames(read), "s-0 s-1 s-2 s-3 s-4")
		equal("pages", pages, 3)
	}},
	{name: "label and field selectors choose", run: func(ctx context.Context, e *env) {
		secrets := e.kube.CoreV1().Secrets(e.namespace)
		for name, tier := range map[string]string{"a": "front", "b": "back", "c": ""} {
			made := secret(name, corev1.SecretTypeOpaque)
			if tier != "" {
				made.Labels = map[string]string{"tier": tier}
			}
			must(secrets.Create(ctx, made, metav1.CreateOptions{}))
		}
		must(secrets.Create(ctx, secret("d", "example.com/other"), metav1.CreateOptions{}))
		for selector, want := range map[string]string{
			"tier": "a b", "!tier": "c d", "tier=front": "a", "tier!=front": "b c d", "tier in (front,back)": "a b",
			"tier notin (front)": "b c d", "tier in (front), tier notin (back)": "a",
		} {
			equal(selector, secretNames(must(secrets.List(ctx, metav1.ListOptions{LabelSelector: selector})).Items), want)
		}
		for selector, want := range map[string]string{
			"metadata.name=a": "a", "type=example.com/other": "d", "type!=Opaque": "d",
			"type=Opaque,metadata.name!=a": "b c", "metadata.namespace=other": "",
		} {
			equal(selector, secretNames(must(secrets.List(ctx, metav1.ListOptions{FieldSelector: selector})).Items), want)
		}
		_, err := secrets.List(ctx, metav1.ListOptions{FieldSelector: "data.a=b"})
		refused("a field that cannot be selected by", err, apierrors.IsBadRequest, "field label not supported: data.a")
		_, err = secrets.List(ctx, metav1.ListOptions{LabelSelector: "tier in"})
		refused("half a selector", err, apierrors.IsBadRequest, "unable to parse requirement")
	}},
	{name: "a list is of no older state than asked for", run: func(ctx context.Context, e *env) {
		secrets := e.kube.CoreV1().Secrets(e.namespace)
		made := must(secrets.Create(ctx, secret("a", corev1.SecretTypeOpaque), metav1.CreateOptions{}))
		ok(secrets.Delete(ctx, "a", metav1.DeleteOptions{}))
		exact := must(secrets.List(ctx, metav1.ListOptions{
			ResourceVersion: made.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact,
		}))
		equal("names at that moment", secretNames(exact.Items), "a")
		later := must(secrets.List(ctx, metav1.ListOptions{
			ResourceVersion: exact.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		}))
		newest := must(secrets.List(ctx, metav1.ListOptions{}))
		equal("names now", secretNames(newest.Items), "")
		equal("version", len(later.ResourceVersion) >= len(exact.ResourceVersion), true)
	}},
}

func secret(name string, kind corev1.SecretType) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Type: kind}
}

func secretNames(secrets []corev1.Secret) string {
	var names []string
	for _, secret := range secrets {
		names = append(names, secret.Name)
	}
	return strings.Join(names, " ")
}
