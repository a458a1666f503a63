package main

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// A check fails by the first call of fail, must or equal that has something to say.
type check struct {
	name string
	run  func(ctx context.Context, e *env)
	// Only a failure is told: the check goes on elsewhere.
	silent bool
}

// A restartCheck makes something before the server restarts, and returns what must hold afterwards.
type restartCheck struct {
	name    string
	prepare func(ctx context.Context, e *env) func(ctx context.Context, e *env)
}

type program struct {
	config     *rest.Config
	kubeconfig string
	kubectl    string
	lease      time.Duration
	namespaces atomic.Int32
}

// An env is what one check has for itself: a namespace, and clients with connections shared by all.
type env struct {
	*program
	namespace string
	kube      *kubernetes.Clientset
	dynamic   *dynamic.DynamicClient
}

type failure struct{ message string }

func (p *program) run(c check) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	since := time.Now()
	problem := ""
	func() {
		defer func() {
			switch cause := recover().(type) {
			case nil:
			case failure:
				problem = cause.message
			default:
				problem = fmt.Sprintf("panic: %v", cause)
			}
		}()
		c.run(ctx, p.newEnv(ctx))
	}()
	if c.silent && problem == "" {
		return
	}
	print(result{c.name, problem, fmt.Sprintf("%.1f", time.Since(since).Seconds())})
}

func (p *program) newEnv(ctx context.Context) *env {
	e := &env{
		program:   p,
		namespace: fmt.Sprintf("check-%d", p.namespaces.Add(1)),
		kube:      must(kubernetes.NewForConfig(p.config)),
		dynamic:   must(dynamic.NewForConfig(p.config)),
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: e.namespace}}
	must(e.kube.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}))
	return e
}

func fail(format string, args ...any) {
	panic(failure{fmt.Sprintf(format, args...)})
}

func must[T any](value T, err error) T {
	ok(err)
	return value
}

func ok(err error) {
	if err != nil {
		panic(failure{err.Error()})
	}
}

func equal[T any](what string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		fail("%s is %+v instead of %+v", what, got, want)
	}
}

// refused says that an error is there and of the kind that client-go's users ask for.
func refused(what string, err error, is func(error) bool, says ...string) {
	if err == nil {
		fail("%s was not refused", what)
	}
	if !is(err) {
		fail("%s was refused for another reason: %#v", what, err)
	}
	for _, text := range says {
		if !strings.Contains(err.Error(), text) {
			fail("%s was refused by %q, which does not say %q", what, err, text)
		}
	}
}

// eventually waits until the condition has nothing left to complain of.
func eventually(ctx context.Context, what string, complaint func() string) {
	for {
		left := complaint()
		if left == "" {
			return
		}
		select {
		case <-ctx.Done():
			fail("%s: %s", what, left)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// within is eventually for what an error tells.
func within(ctx context.Context, what string, attempt func() error) {
	eventually(ctx, what, func() string {
		if err := attempt(); err != nil {
			return err.Error()
		}
		return ""
	})
}

func configMap(name string, data ...string) *corev1.ConfigMap {
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{}}
	for i := 0; i+1 < len(data); i += 2 {
		made.Data[data[i]] = data[i+1]
	}
	return made
}
