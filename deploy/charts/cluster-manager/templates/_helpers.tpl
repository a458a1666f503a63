{{/* The name of an image: an override, or the image of this program in the registry. */}}
{{- define "flotilla.image" -}}
{{- if .override -}}
{{- .override -}}
{{- else -}}
{{- printf "%s/%s:%s" .root.Values.images.registry .program (.root.Values.images.tag | default (printf "v%s" .root.Chart.AppVersion)) -}}
{{- end -}}
{{- end -}}

{{/* A Docker configuration: of user and password, as it is given, or an empty one. */}}
{{- define "flotilla.dockerConfig" -}}
{{- $images := .Values.images -}}
{{- with $images.imageCredentials -}}
{{- if and .userName .password -}}
{{- $auth := printf "%s:%s" .userName .password | b64enc -}}
{{- dict "auths" (dict $images.registry (dict "auth" $auth "password" .password "username" .userName)) | toRawJson -}}
{{- else -}}
{{- .dockerConfigJson | default "{}" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* How Prometheus reads metrics: with the token of a Secret, from programs that sign their certificates themselves. */}}
{{- define "flotilla.metricsEndpoint" -}}
port: health
path: /metrics
scheme: https
interval: {{ .Values.monitoring.serviceMonitor.interval }}
authorization:
  credentials:
    name: cluster-manager-metrics-reader
    key: token
tlsConfig:
  insecureSkipVerify: true
{{- end -}}
