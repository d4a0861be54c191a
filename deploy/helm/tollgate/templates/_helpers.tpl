{{- define "tollgate.name" -}}
{{- if contains "tollgate" .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-tollgate" (.Release.Name | trunc 43 | trimSuffix "-") }}{{ end }}
{{- end }}

{{- define "tollgate.selector" -}}
app.kubernetes.io/name: tollgate
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tollgate.labels" -}}
{{ include "tollgate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* "yes" on PostgreSQL, which gateways share; empty on SQLite. */}}
{{- define "tollgate.shared" -}}
{{- if hasPrefix "postgres" .Values.config.storage.url }}yes{{ end }}
{{- end }}

{{/* The gateway's file. Its console has to be reached from outside of its pod. */}}
{{- define "tollgate.config" -}}
{{- $config := deepCopy .Values.config }}
{{- if $config.console }}
{{- $_ := set $config "console" (merge $config.console (dict "host" "0.0.0.0")) }}
{{- end }}
{{- toYaml $config }}
{{- end }}

{{- define "tollgate.consolePort" -}}
{{- dig "port" 7545 .Values.config.console | int }}
{{- end }}

{{- define "tollgate.probe" -}}
httpGet: { path: {{ . }}, port: admin }
timeoutSeconds: 5
{{- end }}

{{/* The pod of both kinds. What /data is comes from outside: "volume" has its place among the volumes, if it has one. */}}
{{- define "tollgate.pod" -}}
{{- $settings := .root.Values }}
metadata:
  labels:
    {{- include "tollgate.labels" .root | nindent 4 }}
    {{- with $settings.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    {{- if $settings.restartOnChange }}
    checksum/config: {{ include "tollgate.config" .root | sha256sum }}
    {{- end }}
    {{- with $settings.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  # What the kubelet waits before it tells the gateway, what the gateway then takes for its calls, and what it has to write.
  terminationGracePeriodSeconds: {{ add 5 (div (dig "shutdownTimeoutMs" 10000 $settings.config.server | int) 1000) 15 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    seccompProfile: { type: RuntimeDefault }
  {{- with $settings.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: tollgate
      image: {{ printf "%s:%s" $settings.image.repository ($settings.image.tag | default .root.Chart.AppVersion) | quote }}
      imagePullPolicy: {{ $settings.image.pullPolicy }}
      envFrom:
        - secretRef: { name: {{ $settings.existingSecret | quote }} }
      ports:
        - { name: http, containerPort: {{ int $settings.config.server.port }} }
        - { name: admin, containerPort: {{ int $settings.config.admin.port }} }
        {{- if $settings.config.console }}
        - { name: console, containerPort: {{ include "tollgate.consolePort" .root }} }
        {{- end }}
      # A gateway that waits for its database opens no port.
      startupProbe:
        {{- include "tollgate.probe" "/healthz" | nindent 8 }}
        periodSeconds: 2
        failureThreshold: 150
      livenessProbe:
        {{- include "tollgate.probe" "/healthz" | nindent 8 }}
        periodSeconds: 10
        failureThreshold: 6
      # Credits that are leased last for half a minute without the database, which all gateways lack at once.
      readinessProbe:
        {{- include "tollgate.probe" "/readyz" | nindent 8 }}
        periodSeconds: 5
        failureThreshold: 6
      # Until no one sends new calls here.
      lifecycle:
        preStop: { sleep: { seconds: 5 } }
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      {{- with $settings.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        # Not the file alone, which would never change.
        - { name: config, mountPath: /etc/tollgate, readOnly: true }
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
        {{- with $settings.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: config
      configMap: { name: {{ include "tollgate.name" .root }} }
    - name: tmp
      emptyDir: {}
    {{- with .volume }}
    - {{ toYaml . | nindent 6 | trim }}
    {{- end }}
    {{- with $settings.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- range $name := list "nodeSelector" "tolerations" "affinity" }}
  {{- with index $settings $name }}
  {{ $name }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
{{- end }}
