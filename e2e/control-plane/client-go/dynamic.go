package main

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
)

const group = "checks.example.com"

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

var dynamicChecks = []check{
	{name: "a custom resource is created, updated, patched and deleted", run: func(ctx context.Context, e *env) {
		widgets := e.newDefinition(ctx, "written")
		client := e.dynamic.Resource(widgets).Namespace(e.namespace)
		made := must(client.Create(ctx, widget(widgets, "one", 1), metav1.CreateOptions{}))
		color, _, _ := unstructured.NestedString(made.Object, "spec", "color")
		equal("default", color, "green")
		_, err := client.Create(ctx, widget(widgets, "wrong", 100), metav1.CreateOptions{})
		refused("a size over the maximum", err, apierrors.IsInvalid, "spec.size")
		ok(unstructured.SetNestedField(made.Object, "red", "spec", "color"))
		ok(unstructured.SetNestedField(made.Object, "lost", "spec", "unknown"))
		updated := must(client.Update(ctx, made, metav1.UpdateOptions{}))
		equal("generation", updated.GetGeneration(), 2)
		spec, _, _ := unstructured.NestedMap(updated.Object, "spec")
		equal("spec without what is unknown", spec, map[string]any{"color": "red", "size": int64(1)})
		_, err = client.Update(ctx, made, metav1.UpdateOptions{FieldValidation: metav1.FieldValidationStrict})
		refused("an unknown field, strictly", err, apierrors.IsBadRequest, `unknown field "spec.unknown"`)
		patched := must(client.Patch(ctx, "one", types.MergePatchType, []byte(`{"status":{"phase":"Ready"}}`), metav1.PatchOptions{}, "status"))
		equal("generation", patched.GetGeneration(), 2)
		equal("items", len(must(client.List(ctx, metav1.ListOptions{})).Items), 1)
		ok(client.Delete(ctx, "one", metav1.DeleteOptions{}))
		_, err = client.Get(ctx, "one", metav1.GetOptions{})
		refused("what is gone", err, apierrors.IsNotFound)
	}},
	{name: "a REST mapper finds a kind when it is there, and not when it is gone", run: func(ctx context.Context, e *env) {
		for name, found := range map[string]discovery.DiscoveryInterface{
			"mapped":   must(discovery.NewDiscoveryClientForConfig(e.config)),
			"legacies": &legacyDiscovery{must(discovery.NewDiscoveryClientForConfig(e.config))},
		} {
			cached := memory.NewMemCacheClient(found)
			mapper := restmapper.NewDeferredDiscoveryRESTMapper(cached)
			widgets := e.newDefinition(ctx, name)
			kind := schema.GroupKind{Group: group, Kind: kindOf(name)}
			var mapping *meta.RESTMapping
			within(ctx, "mapping", func() (err error) {
				mapper.Reset()
				mapping, err = mapper.RESTMapping(kind)
				return err
			})
			equal("resource", mapping.Resource, widgets)
			equal("scope", mapping.Scope.Name(), meta.RESTScopeNameNamespace)
			short := restmapper.NewShortcutExpander(mapper, cached, nil)
			equal("resource of the short name", must(short.ResourceFor(schema.GroupVersionResource{Resource: name + "sh"})), widgets)
			equal("core", must(mapper.RESTMapping(schema.GroupKind{Kind: "Pod"})).Resource.Resource, "pods")
			ok(e.dynamic.Resource(definitions).Delete(ctx, name+"."+group, metav1.DeleteOptions{}))
			eventually(ctx, "mapping of what is gone", func() string {
				mapper.Reset()
				if _, err := mapper.RESTMapping(kind); meta.IsNoMatchError(err) {
					return ""
				}
				return "is still there"
			})
		}
	}},
	{name: "discovery tells all groups, resources, schemas and the version", run: func(ctx context.Context, e *env) {
		client := must(discovery.NewDiscoveryClientForConfig(e.config))
		within(ctx, "groups", func() error {
			_, _, err := client.ServerGroupsAndResources()
			return err
		})
		preferred := must(client.ServerPreferredNamespacedResources())
		deletable := discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list", "watch", "delete"}}, preferred)
		resources := must(discovery.GroupVersionResources(deletable))
		for _, want := range []schema.GroupVersionResource{
			{Version: "v1", Resource: "configmaps"}, {Group: "apps", Version: "v1", Resource: "deployments"},
			{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"},
		} {
			if _, found := resources[want]; !found {
				fail("%v is not among what can be collected", want)
			}
		}
		equal("major version", must(client.ServerVersion()).Major, "1")
		paths := must(client.OpenAPIV3().Paths())
		for _, path := range []string{"api/v1", "apis/apps/v1", "apis/apiextensions.k8s.io/v1"} {
			described, found := paths[path]
			if !found {
				fail("no schemas of %s", path)
			}
			if document := must(described.Schema("application/json")); len(document) < 1000 {
				fail("the schemas of %s are %d bytes", path, len(document))
			}
		}
	}},
	{name: "a scale client scales what it knows from discovery only", run: func(ctx context.Context, e *env) {
		must(e.kube.AppsV1().Deployments(e.namespace).Create(ctx, deployment("scaled"), metav1.CreateOptions{}))
		client := must(discovery.NewDiscoveryClientForConfig(e.config))
		mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
		scales := must(scale.NewForConfig(e.config, mapper, pathOf, scale.NewDiscoveryScaleKindResolver(client)))
		of := schema.GroupResource{Group: "apps", Resource: "deployments"}
		found := must(scales.Scales(e.namespace).Get(ctx, of, "scaled", metav1.GetOptions{}))
		found.Spec.Replicas = 6
		must(scales.Scales(e.namespace).Update(ctx, of, found, metav1.UpdateOptions{}))
		scaled := must(e.kube.AppsV1().Deployments(e.namespace).Get(ctx, "scaled", metav1.GetOptions{}))
		equal("replicas", *scaled.Spec.Replicas, 6)
	}},
}

// legacyDiscovery asks as clients did before discovery came in one document.
type legacyDiscovery struct{ *discovery.DiscoveryClient }

func (l *legacyDiscovery) GroupsAndMaybeResources() (*metav1.APIGroupList, map[schema.GroupVersion]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	groups, err := l.DiscoveryClient.WithLegacy().ServerGroups()
	return groups, nil, nil, err
}

func pathOf(kind schema.GroupVersionKind) string {
	if kind.Group == "" {
		return "/api"
	}
	return "/apis"
}

func kindOf(plural string) string { return "Kind" + plural }

// newDefinition installs a kind for one check, and returns when its objects are served.
func (e *env) newDefinition(ctx context.Context, plural string) schema.GroupVersionResource {
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": plural + "." + group},
		"spec": map[string]any{
			"group": group,
			"scope": "Namespaced",
			"names": map[string]any{
				"plural": plural, "singular": plural + "-one", "kind": kindOf(plural), "listKind": kindOf(plural) + "List",
				"shortNames": []any{plural + "sh"},
			},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object",
					"properties": map[string]any{
						"spec": map[string]any{"type": "object", "properties": map[string]any{
							"size":  map[string]any{"type": "integer", "maximum": int64(10)},
							"color": map[string]any{"type": "string", "default": "green"},
						}},
						"status": map[string]any{"type": "object", "properties": map[string]any{
							"phase": map[string]any{"type": "string"},
						}},
					},
				}},
			}},
		},
	}}
	must(e.dynamic.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{}))
	served := schema.GroupVersionResource{Group: group, Version: "v1", Resource: plural}
	within(ctx, "custom resource", func() error {
		_, err := e.dynamic.Resource(served).Namespace(e.namespace).List(ctx, metav1.ListOptions{})
		return err
	})
	return served
}

func widget(resource schema.GroupVersionResource, name string, size int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": resource.GroupVersion().String(),
		"kind":       kindOf(resource.Resource),
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any{"size": size},
	}}
}
