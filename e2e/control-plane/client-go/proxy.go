package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"regexp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

var servesOn = regexp.MustCompile(`^Starting to serve on (127\.0\.0\.1:\d+)`)

var proxyChecks = []check{
	{name: "kubectl proxy carries plain HTTP", run: func(ctx context.Context, e *env) {
		proxying, stop := context.WithCancel(ctx)
		defer stop()
		command := exec.CommandContext(proxying, e.kubectl, "--kubeconfig", e.kubeconfig, "proxy", "--port=0", "--append-server-path")
		output := must(command.StdoutPipe())
		ok(command.Start())
		defer command.Wait()
		defer stop()
		found := servesOn.FindStringSubmatch(must(bufio.NewReader(output).ReadString('\n')))
		if found == nil {
			fail("kubectl proxy does not say where it serves")
		}
		url := "http://" + found[1] + "/api/v1/namespaces/" + e.namespace + "/configmaps"

		watching := must(http.Get(url + "?watch=true&fieldSelector=metadata.name%3Dproxied"))
		defer watching.Body.Close()
		equal("status of the watch", watching.StatusCode, http.StatusOK)
		body := must(json.Marshal(configMap("proxied", "a", "b")))
		created := must(http.Post(url, runtime.ContentTypeJSON, bytes.NewReader(body)))
		defer created.Body.Close()
		equal("status of the create", created.StatusCode, http.StatusCreated)
		var event struct {
			Type   string
			Object corev1.ConfigMap
		}
		ok(json.NewDecoder(watching.Body).Decode(&event))
		equal("event", event.Type+" "+event.Object.Name, "ADDED proxied")

		missing := must(http.Get(url + "/missing"))
		defer missing.Body.Close()
		var status metav1.Status
		ok(json.Unmarshal(must(io.ReadAll(missing.Body)), &status))
		equal("reason", status.Reason, metav1.StatusReasonNotFound)
	}},
}
