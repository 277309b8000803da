package deploy_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.yaml.in/yaml/v3"

	"signalbox/app"
	"signalbox/engine/meter"
)

// object is what these tests read of a manifest.
type object struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Data       map[string]string
	Spec       struct {
		Replicas *int
		Selector map[string]any
		Ports    []struct {
			TargetPort string `yaml:"targetPort"`
		}
		Template       pod
		ScaleTargetRef struct{ Kind, Name string } `yaml:"scaleTargetRef"`
		MinAvailable   *int                        `yaml:"minAvailable"`
		MaxUnavailable *int                        `yaml:"maxUnavailable"`
		MinReplicas    int                         `yaml:"minReplicas"`
		Metrics        []struct {
			External struct{ Metric struct{ Name string } }
		}
	}
	Resources []string
	file      string
}

type pod struct {
	Metadata struct{ Labels map[string]string }
	Spec     struct {
		Containers []container
		Volumes    []struct {
			Name   string
			Secret struct {
				SecretName  string `yaml:"secretName"`
				DefaultMode int    `yaml:"defaultMode"`
				Items       []struct{ Key, Path string }
			}
		}
	}
}

type container struct {
	Name, Image string
	Args        []string
	Ports       []struct {
		Name          string
		ContainerPort int `yaml:"containerPort"`
	}
	EnvFrom []struct {
		ConfigMapRef struct{ Name string } `yaml:"configMapRef"`
	} `yaml:"envFrom"`
	Env []struct {
		Name, Value string
		ValueFrom   struct {
			SecretKeyRef struct{ Name, Key string } `yaml:"secretKeyRef"`
		} `yaml:"valueFrom"`
	}
	StartupProbe   *probe `yaml:"startupProbe"`
	LivenessProbe  *probe `yaml:"livenessProbe"`
	ReadinessProbe *probe `yaml:"readinessProbe"`
	VolumeMounts   []struct {
		Name      string
		MountPath string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
}

type probe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

// manifests reads every document of the folder.
func manifests(t *testing.T) []object {
	t.Helper()
	files, err := filepath.Glob("kubernetes/*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("%v: %v", files, err)
	}
	var list []object
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for dec := yaml.NewDecoder(strings.NewReader(string(raw))); ; {
			o := object{file: filepath.Base(name)}
			if err := dec.Decode(&o); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if o.Kind != "" {
				list = append(list, o)
			}
		}
	}
	return list
}

func find(t *testing.T, list []object, kind, name string) *object {
	t.Helper()
	for i := range list {
		if list[i].Kind == kind && list[i].Metadata.Name == name {
			return &list[i]
		}
	}
	t.Fatalf("there is no %s %s", kind, name)
	return nil
}

func TestManifestsHangTogether(t *testing.T) {
	t.Parallel()
	list := manifests(t)
	var pods []map[string]string
	for _, o := range list {
		if o.Kind == "Deployment" {
			pods = append(pods, o.Spec.Template.Metadata.Labels)
		}
		if o.APIVersion == "" || o.Kind != "Kustomization" && o.Metadata.Name == "" {
			t.Errorf("%s: a document without apiVersion or name", o.file)
		}
	}
	for _, o := range list {
		want := o.Spec.Selector
		if labels, ok := want["matchLabels"].(map[string]any); ok {
			want = labels
		}
		if len(want) > 0 && !slices.ContainsFunc(pods, func(labels map[string]string) bool {
			for k, v := range want {
				if labels[k] != v {
					return false
				}
			}
			return true
		}) {
			t.Errorf("%s %s selects %v, which no pod has", o.Kind, o.Metadata.Name, want)
		}
		for _, name := range o.Resources {
			if _, err := os.Stat(filepath.Join("kubernetes", name)); err != nil {
				t.Error(err)
			}
		}
	}
	h := find(t, list, "HorizontalPodAutoscaler", "signalbox-worker")
	target := find(t, list, h.Spec.ScaleTargetRef.Kind, h.Spec.ScaleTargetRef.Name)
	if target.Spec.Replicas != nil {
		t.Error("a number of replicas would undo what the autoscaler does")
	}
	if p := find(t, list, "PodDisruptionBudget", "signalbox-worker"); *p.Spec.MinAvailable >= h.Spec.MinReplicas {
		t.Error("no worker could ever be moved")
	}
	servers := find(t, list, "Deployment", "signalbox-server").Spec.Replicas
	if p := find(t, list, "PodDisruptionBudget", "signalbox-server"); *p.Spec.MaxUnavailable < 1 || *p.Spec.MaxUnavailable >= *servers {
		t.Error("no server could ever be moved, or all of them at once")
	}
}

// TestProgramTakesTheSettings gives the program what each container gets.
func TestProgramTakesTheSettings(t *testing.T) {
	t.Parallel()
	list := manifests(t)
	shared := find(t, list, "ConfigMap", "signalbox").Data
	table := app.SettingsTable()
	for _, o := range list {
		for _, c := range o.Spec.Template.Spec.Containers {
			env := map[string]string{}
			for _, from := range c.EnvFrom {
				for k, v := range find(t, list, "ConfigMap", from.ConfigMapRef.Name).Data {
					env[k] = v
				}
			}
			for _, e := range c.Env {
				env[e.Name] = e.Value
				if ref := e.ValueFrom.SecretKeyRef; ref.Name != "" {
					env[e.Name] = "postgres://secret-of-enough-length/" + ref.Key
				}
			}
			for name := range env {
				if !strings.Contains(table, "`"+name+"`") {
					t.Errorf("%s: the program does not know %s", o.file, name)
				}
			}
			if command := map[string]string{"server": "serve", "worker": "worker"}[c.Name]; len(c.Args) != 1 || c.Args[0] != command {
				t.Errorf("%s: the container %s runs %v", o.file, c.Name, c.Args)
			}
			cfg, err := app.Parse(nil, func(k string) string { return env[k] }, io.Discard)
			if err != nil {
				t.Errorf("%s: %v", o.file, err)
			}
			if cfg.DatabaseURL == "" || cfg.NATSURL == "" || cfg.MetricsToken == "" {
				t.Errorf("%s: the database, NATS or the token is missing", o.file)
			}
			c.check(t, &o, &cfg)
		}
	}
	if shared["SIGNALBOX_LOG_FORMAT"] != "json" {
		t.Error("logs are not JSON")
	}
}

// check compares ports, probes and files with what the program does.
func (c *container) check(t *testing.T, o *object, cfg *app.Config) {
	t.Helper()
	ports := map[string]string{}
	for _, p := range c.Ports {
		ports[p.Name] = fmt.Sprint(p.ContainerPort)
	}
	for name, address := range map[string]string{"ops": cfg.OpsListen, "web": cfg.Listen} {
		_, port, err := net.SplitHostPort(address)
		if err != nil || ports[name] != "" && ports[name] != port {
			t.Errorf("%s: the port %s is %s, the program listens on %s", o.file, name, ports[name], address)
		}
	}
	for p, path := range map[*probe]string{c.StartupProbe: "/healthz", c.LivenessProbe: "/healthz", c.ReadinessProbe: "/readyz"} {
		if p != nil && (p.HTTPGet.Path != path || p.HTTPGet.Port != "ops") {
			t.Errorf("%s: a probe asks %+v, want %s of ops", o.file, p.HTTPGet, path)
		}
	}
	if c.LivenessProbe == nil || c.ReadinessProbe == nil {
		t.Errorf("%s: a probe is missing", o.file)
	}
	volume := o.Spec.Template.Spec.Volumes[0]
	if at := filepath.Join(c.VolumeMounts[0].MountPath, volume.Secret.Items[0].Path); at != cfg.KeyFile || c.VolumeMounts[0].Name != volume.Name {
		t.Errorf("%s: the key is at %s, the program looks at %s", o.file, at, cfg.KeyFile)
	}
	if volume.Secret.DefaultMode != 0o440 {
		t.Errorf("%s: the key has the mode %o", o.file, volume.Secret.DefaultMode)
	}
}

// described collects the names of metrics instead of registering them.
type described map[string]bool

func (d described) Register(c prometheus.Collector) error {
	ch := make(chan *prometheus.Desc, 100)
	c.Describe(ch)
	close(ch)
	name := regexp.MustCompile(`fqName: "([^"]+)"`)
	for desc := range ch {
		d[name.FindStringSubmatch(desc.String())[1]] = true
	}
	return nil
}

func (d described) MustRegister(list ...prometheus.Collector) {
	for _, c := range list {
		_ = d.Register(c)
	}
}

func (described) Unregister(prometheus.Collector) bool { return false }

// TestMetricsExist finds every metric that a file of this folder, or the
// operations page, names.
func TestMetricsExist(t *testing.T) {
	t.Parallel()
	known := described{}
	if _, err := meter.NewRuns(known, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if _, err := meter.NewWorkers(known); err != nil {
		t.Fatal(err)
	}
	if _, err := meter.NewWatch(known); err != nil {
		t.Fatal(err)
	}
	if _, err := meter.NewBusiness(known, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if err := meter.RegisterQueues(known, nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := meter.Register(known, meter.Sources{}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("kubernetes/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, name := range append(files, "../docs/operations.md") {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, metric := range regexp.MustCompile(`signalbox_[a-z_]+`).FindAllString(string(raw), -1) {
			bare := metric
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				bare = strings.TrimSuffix(bare, suffix)
			}
			if metric == "signalbox_business_" { // what comes behind it is a name of the user's
				continue
			}
			if named++; !known[metric] && !known[bare] {
				t.Errorf("%s names %s, which the program does not have", name, metric)
			}
		}
	}
	if named < 15 {
		t.Errorf("only %d metrics are named: the pattern misses some", named)
	}
}
