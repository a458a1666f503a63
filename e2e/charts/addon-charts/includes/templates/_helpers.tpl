{{- define "includes.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
cluster: {{ .Values.clusterName }}
{{- end }}

{{- define "includes.resources" -}}
{{- $id := .id -}}
{{- range .requirements }}
{{- if regexMatch .containerIDRegex $id }}
{{- toYaml .resourcesRaw }}
{{- end }}
{{- end }}
{{- end }}
