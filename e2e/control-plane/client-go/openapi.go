package main

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/kube-openapi/pkg/util/proto"
)

var openAPIChecks = []check{
	{name: "the schemas of OpenAPI v2 are read in protobuf, those of custom resources too", run: func(ctx context.Context, e *env) {
		widgets := e.newDefinition(ctx, "published")
		custom := "com.example.checks." + widgets.Version + "." + kindOf("published")
		var models proto.Models
		within(ctx, "publication", func() error {
			document, err := e.kube.Discovery().OpenAPISchema()
			if err != nil {
				return err
			}
			models, err = proto.NewOpenAPIData(document)
			if err != nil {
				return err
			}
			if models.LookupModel(custom) == nil {
				return fmt.Errorf("%s is not among %d models", custom, len(models.ListModels()))
			}
			return nil
		})
		spec := fieldOf(models.LookupModel(custom), "spec")
		equal("type of size", fieldOf(spec, "size").GetName(), "integer")
		pod := models.LookupModel("io.k8s.api.core.v1.Pod")
		container := fieldOf(fieldOf(pod, "spec"), "containers")
		if said := container.GetDescription(); !strings.HasPrefix(said, "List of containers belonging to the pod.") {
			fail("containers are described as %q", said)
		}
		equal("merge key", container.GetExtensions()["x-kubernetes-patch-merge-key"], any("name"))
	}},
}

// fieldOf is the schema of a field of an object, behind a reference if there is one.
func fieldOf(model proto.Schema, name string) proto.Schema {
	if reference, is := model.(proto.Reference); is {
		model = reference.SubSchema()
	}
	object, is := model.(*proto.Kind)
	if !is {
		fail("%s is not a kind with fields but %T", name, model)
	}
	field := object.Fields[name]
	if field == nil {
		fail("there is no field %s among %v", name, object.Keys())
	}
	return field
}
