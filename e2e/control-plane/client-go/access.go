package main

import (
	"context"
	"slices"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

var accessChecks = []check{
	{name: "subject access reviews tell what a role allows", run: func(ctx context.Context, e *env) {
		asked := func(user, verb, resource string) bool {
			review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
				User: user,
				ResourceAttributes: &authorizationv1.ResourceAttributes{
					Namespace: e.namespace, Verb: verb, Version: "v1", Resource: resource,
				},
			}}
			return must(e.kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})).Status.Allowed
		}
		equal("without a role", asked("reader", "list", "configmaps"), false)
		e.allowReading(ctx, "reader")
		eventually(ctx, "list configmaps", func() string {
			if asked("reader", "list", "configmaps") {
				return ""
			}
			return "not allowed"
		})
		equal("another verb", asked("reader", "delete", "configmaps"), false)
		equal("another resource", asked("reader", "list", "secrets"), false)
		equal("another user", asked("stranger", "list", "configmaps"), false)

		reader := e.impersonating(rest.ImpersonationConfig{UserName: "reader"})
		self := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: e.namespace, Verb: "get", Resource: "configmaps"},
		}}
		answer := must(reader.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, self, metav1.CreateOptions{}))
		equal("allowed to oneself", answer.Status.Allowed, true)
		rules := must(reader.AuthorizationV1().SelfSubjectRulesReviews().Create(ctx, &authorizationv1.SelfSubjectRulesReview{
			Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: e.namespace},
		}, metav1.CreateOptions{}))
		equal("among the rules", slices.ContainsFunc(rules.Status.ResourceRules, func(rule authorizationv1.ResourceRule) bool {
			return slices.Contains(rule.Resources, "configmaps") && slices.Contains(rule.Verbs, "list")
		}), true)
	}},
	{name: "an administrator acts as somebody else, and nobody else does", run: func(ctx context.Context, e *env) {
		somebody := e.impersonating(rest.ImpersonationConfig{
			UserName: "somebody", Groups: []string{"some"}, Extra: map[string][]string{"example.com/Scope": {"a", "b"}},
		})
		user := whoami(ctx, somebody)
		equal("name", user.Username, "somebody")
		equal("groups", user.Groups, []string{"some", "system:authenticated"})
		equal("extra", []string(user.Extra["example.com/scope"]), []string{"a", "b"})
		configMaps := somebody.CoreV1().ConfigMaps(e.namespace)
		_, err := configMaps.List(ctx, metav1.ListOptions{})
		refused("a stranger's list", err, apierrors.IsForbidden, `User "somebody" cannot list resource "configmaps"`)
		e.allowReading(ctx, "somebody")
		within(ctx, "list", func() error {
			_, err := configMaps.List(ctx, metav1.ListOptions{})
			return err
		})
		_, err = configMaps.Create(ctx, configMap("mine"), metav1.CreateOptions{})
		refused("a reader's create", err, apierrors.IsForbidden)

		robot := rest.AnonymousClientConfig(e.config)
		robot.BearerToken = e.tokenOf(ctx, "robot", nil)
		robot.Impersonate = rest.ImpersonationConfig{UserName: "system:admin", Groups: []string{"system:masters"}}
		_, err = must(kubernetes.NewForConfig(robot)).CoreV1().Secrets(e.namespace).List(ctx, metav1.ListOptions{})
		refused("a robot that plays the administrator", err, apierrors.IsForbidden, "robot\" cannot impersonate")
	}},
}

func (e *env) impersonating(whom rest.ImpersonationConfig) *kubernetes.Clientset {
	config := rest.CopyConfig(e.config)
	config.Impersonate = whom
	return must(kubernetes.NewForConfig(config))
}

func (e *env) allowReading(ctx context.Context, user string) {
	rbac := e.kube.RbacV1()
	must(rbac.Roles(e.namespace).Create(ctx, &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "reads"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "list", "watch"}}},
	}, metav1.CreateOptions{}))
	must(rbac.RoleBindings(e.namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "reads"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reads"},
	}, metav1.CreateOptions{}))
}
