{{- define "assay.name" -}}
{{- if contains "assay" .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-assay" (.Release.Name | trunc 46 | trimSuffix "-") }}{{ end }}
{{- end }}

{{- define "assay.selector" -}}
app.kubernetes.io/name: assay
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "assay.labels" -}}
{{ include "assay.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "assay.image" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{- define "assay.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
{{- end }}

{{- define "assay.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* The names that requests may be addressed to: those of the service, and the one of the ingress. */}}
{{- define "assay.hosts" -}}
{{- $name := include "assay.name" . -}}
{{- $hosts := list $name (printf "%s.%s" $name .Release.Namespace) (printf "%s.%s.svc" $name .Release.Namespace) (printf "%s.%s.svc.cluster.local" $name .Release.Namespace) -}}
{{- with .Values.ingress.host }}{{ $hosts = append $hosts . }}{{ end -}}
{{- with index .Values.settings "ASSAY_ALLOWED_HOSTS" }}{{ $hosts = append $hosts . }}{{ end -}}
{{- join "," $hosts -}}
{{- end }}

{{- define "assay.environment" -}}
envFrom:
  - secretRef:
      name: {{ .Values.existingSecret }}
env:
  - name: ASSAY_HOME
    value: /data
  - name: ASSAY_HOST
    value: 0.0.0.0
  - name: ASSAY_PORT
    value: "8017"
  - name: ASSAY_ALLOWED_HOSTS
    value: {{ include "assay.hosts" . | quote }}
  {{- if and .Values.ingress.host (not (index .Values.settings "FRONTEND_URL")) }}
  - name: FRONTEND_URL
    value: {{ printf "%s://%s" (ternary "https" "http" (ne .Values.ingress.tlsSecret "")) .Values.ingress.host | quote }}
  {{- end }}
  {{- range $name, $value := omit .Values.settings "ASSAY_ALLOWED_HOSTS" }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
{{- end }}

{{- define "assay.mounts" -}}
volumeMounts:
  - name: data
    mountPath: /data
  - name: tmp
    mountPath: /tmp
{{- end }}

{{- define "assay.volumes" -}}
volumes:
  - name: data
    {{- if .Values.persistence.enabled }}
    persistentVolumeClaim:
      claimName: {{ .Values.persistence.existingClaim | default (include "assay.name" .) }}
    {{- else }}
    emptyDir:
      sizeLimit: {{ .Values.scratchSize }}
    {{- end }}
  - name: tmp
    emptyDir:
      medium: Memory
      sizeLimit: 512Mi
{{- end }}

{{- define "assay.placement" -}}
{{- with .nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The API answers only requests to a name that it knows, and the address of a pod is none. */}}
{{- define "assay.apiProbe" -}}
httpGet:
  path: /api/health
  port: http
  httpHeaders:
    - name: Host
      value: localhost
timeoutSeconds: 5
{{- end }}

{{/* A worker tells its health on the loopback address alone. */}}
{{- define "assay.workerProbe" -}}
exec:
  command: [python3, -c, "import urllib.request as r; r.urlopen('http://127.0.0.1:8018/health', timeout=4)"]
timeoutSeconds: 5
{{- end }}
