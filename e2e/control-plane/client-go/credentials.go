package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"slices"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	certutil "k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/certificate/csr"
	"k8s.io/client-go/util/keyutil"
)

var credentialChecks = []check{
	{name: "a token that was requested is one's name, for its audience and while its account is there", run: func(ctx context.Context, e *env) {
		accounts := e.kube.CoreV1().ServiceAccounts(e.namespace)
		token := e.tokenOf(ctx, "robot", nil)
		robot := e.as(rest.Config{BearerToken: token})
		user := whoami(ctx, robot)
		equal("name", user.Username, "system:serviceaccount:"+e.namespace+":robot")
		equal("in the groups", slices.Contains(user.Groups, "system:serviceaccounts:"+e.namespace), true)
		_, err := robot.CoreV1().Secrets(e.namespace).List(ctx, metav1.ListOptions{})
		refused("what nobody allowed", err, apierrors.IsForbidden, `cannot list resource "secrets" in API group ""`)

		review := func(token string, audiences ...string) authenticationv1.TokenReviewStatus {
			asked := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token, Audiences: audiences}}
			return must(e.kube.AuthenticationV1().TokenReviews().Create(ctx, asked, metav1.CreateOptions{})).Status
		}
		equal("reviewed", review(token).Authenticated, true)
		elsewhere := e.tokenOf(ctx, "robot", []string{"elsewhere"})
		_, err = e.as(rest.Config{BearerToken: elsewhere}).Discovery().ServerVersion()
		refused("a token for others", err, apierrors.IsUnauthorized)
		equal("reviewed for its audience", review(elsewhere, "elsewhere").Audiences, []string{"elsewhere"})
		ok(accounts.Delete(ctx, "robot", metav1.DeleteOptions{}))
		eventually(ctx, "the token of an account that is gone", func() string {
			if review(token).Authenticated {
				return "is still good"
			}
			return ""
		})
	}},
	{name: "a certificate that was approved and issued is one's name", run: func(ctx context.Context, e *env) {
		user := whoami(ctx, e.as(certificateOf(ctx, e, "signed")))
		equal("name", user.Username, "signed")
		equal("groups", slices.Sorted(slices.Values(user.Groups)), []string{"checkers", "system:authenticated", "testers"})
	}},
	{name: "a request for a certificate that was denied stays without one", run: func(ctx context.Context, e *env) {
		_, request := newRequest(ctx, e, "denied")
		decide(ctx, e, request.Name, certificatesv1.CertificateDenied)
		short, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		_, err := csr.WaitForCertificate(short, e.kube, request.Name, request.UID)
		refused("a certificate", err, func(err error) bool { return short.Err() == nil }, "is denied")
	}},
}

func (e *env) tokenOf(ctx context.Context, account string, audiences []string) string {
	accounts := e.kube.CoreV1().ServiceAccounts(e.namespace)
	_, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: account}}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		ok(err)
	}
	hour := int64(3600)
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{Audiences: audiences, ExpirationSeconds: &hour}}
	issued := must(accounts.CreateToken(ctx, account, request, metav1.CreateOptions{}))
	if left := time.Until(issued.Status.ExpirationTimestamp.Time); left < 50*time.Minute || left > 70*time.Minute {
		fail("the token is good for %v", left)
	}
	return issued.Status.Token
}

// as is a client of the same server with nothing but other credentials.
func (e *env) as(credentials rest.Config) *kubernetes.Clientset {
	config := rest.AnonymousClientConfig(e.config)
	config.BearerToken = credentials.BearerToken
	config.CertData = credentials.CertData
	config.KeyData = credentials.KeyData
	return must(kubernetes.NewForConfig(config))
}

func whoami(ctx context.Context, client kubernetes.Interface) authenticationv1.UserInfo {
	review := &authenticationv1.SelfSubjectReview{}
	return must(client.AuthenticationV1().SelfSubjectReviews().Create(ctx, review, metav1.CreateOptions{})).Status.UserInfo
}

// certificateOf goes the way of a node or an agent: a request, an administrator's yes, and what the signer makes of it.
func certificateOf(ctx context.Context, e *env, name string) rest.Config {
	key, request := newRequest(ctx, e, name)
	decide(ctx, e, request.Name, certificatesv1.CertificateApproved)
	certificate := must(csr.WaitForCertificate(ctx, e.kube, request.Name, request.UID))
	parsed := must(certutil.ParseCertsPEM(certificate))
	if left := time.Until(parsed[0].NotAfter); left > 70*time.Minute {
		fail("the certificate is good for %v", left)
	}
	tls := rest.TLSClientConfig{CertData: certificate, KeyData: must(keyutil.MarshalPrivateKeyToPEM(key))}
	return rest.Config{TLSClientConfig: tls}
}

func newRequest(ctx context.Context, e *env, name string) (*ecdsa.PrivateKey, *certificatesv1.CertificateSigningRequest) {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	subject := pkix.Name{CommonName: name, Organization: []string{"checkers", "testers"}}
	made := must(x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: subject}, key))
	data := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: made})
	hour := time.Hour
	usages := []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageClientAuth}
	requestName, _, err := csr.RequestCertificateWithContext(
		ctx, e.kube, data, e.namespace+"-"+name, certificatesv1.KubeAPIServerClientSignerName, &hour, usages, key)
	ok(err)
	return key, must(e.kube.CertificatesV1().CertificateSigningRequests().Get(ctx, requestName, metav1.GetOptions{}))
}

func decide(ctx context.Context, e *env, name string, decision certificatesv1.RequestConditionType) {
	requests := e.kube.CertificatesV1().CertificateSigningRequests()
	request := must(requests.Get(ctx, name, metav1.GetOptions{}))
	request.Status.Conditions = append(request.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
		Type: decision, Status: corev1.ConditionTrue, Reason: "Checked", Message: "decided by the checks",
	})
	must(requests.UpdateApproval(ctx, name, request, metav1.UpdateOptions{}))
}
