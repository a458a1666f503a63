// Checks that run on any API server what controllers written in Go do: by the client-go of the Kubernetes release that
// packages/envtest builds.
module flotilla/e2e/client-go

go 1.26.0

require (
	k8s.io/api v0.36.3
	k8s.io/apimachinery v0.36.3
	k8s.io/client-go v0.36.3
)
