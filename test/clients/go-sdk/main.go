// Calls every method of the Go SDK of this API, and prints a line of JSON for each: {"call", "error"}.
// Arguments: URL of the service, API key, account ID, ID of a check with a result, ID of that result, ID of a Playwright check.
// CLIENT_CERTIFICATE and CLIENT_KEY: a certificate and its key.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"reflect"

	sdk "github.com/checkly/checkly-go-sdk"
)

const (
	target = "http://127.0.0.1:9/"
)

var (
	ctx    = context.Background()
	client sdk.Client
	called = map[string]bool{}
)

func report(call string, err error) {
	called[call] = true
	line := map[string]string{"call": call}
	if err != nil {
		line["error"] = err.Error()
	}
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
}

// Reports a call and returns its answer, or an empty one.
func get[T any](call string, answer *T, err error) *T {
	report(call, err)
	if answer == nil {
		return new(T)
	}
	return answer
}

// Creates, reads, updates and deletes something, by the names of the methods.
func lifecycle[T, I any](
	names [4]string,
	body T,
	idOf func(*T) I,
	create func(context.Context, T) (*T, error),
	read func(context.Context, I) (*T, error),
	update func(context.Context, I, T) (*T, error),
	remove func(context.Context, I) error,
) {
	made, err := create(ctx, body)
	id := idOf(get(names[0], made, err))
	found, err := read(ctx, id)
	found = get(names[1], found, err)
	if err == nil {
		// What was read is sent back, as a Terraform provider does.
		body = *found
	}
	changed, err := update(ctx, id, body)
	get(names[2], changed, err)
	report(names[3], remove(ctx, id))
}

func named(noun string) [4]string {
	return [4]string{"Create" + noun, "Get" + noun, "Update" + noun, "Delete" + noun}
}

func checks() {
	request := sdk.Request{Method: "GET", URL: target, FollowRedirects: true}
	check := sdk.Check{
		Name: "API check", Type: sdk.TypeAPI, Frequency: 10, Locations: []string{"eu-west-1"},
		DegradedResponseTime: 5000, MaxResponseTime: 20000, UseGlobalAlertSettings: true, Request: request,
		RetryStrategy: &sdk.RetryStrategy{Type: "FIXED", BaseBackoffSeconds: 60, MaxRetries: 2, MaxDurationSeconds: 600},
	}
	idOf := func(c *sdk.Check) string { return c.ID }
	lifecycle([4]string{"Create", "Get", "Update", "Delete"}, check, idOf,
		client.Create, client.Get, client.Update, client.Delete)
	browser := check
	browser.Type, browser.Script, browser.Request = sdk.TypeBrowser, "await page.goto('"+target+"')", sdk.Request{}
	lifecycle(named("Check"), browser, idOf, client.CreateCheck, client.GetCheck, client.UpdateCheck, client.DeleteCheck)

	heartbeat := sdk.HeartbeatMonitor{Name: "Backup", UseGlobalAlertSettings: true,
		Heartbeat: sdk.Heartbeat{Period: 1, PeriodUnit: "hours", Grace: 10, GraceUnit: "minutes"}}
	beatID := func(m *sdk.HeartbeatMonitor) string { return m.ID }
	lifecycle(named("HeartbeatMonitor"), heartbeat, beatID, client.CreateHeartbeatMonitor, client.GetHeartbeatMonitor,
		client.UpdateHeartbeatMonitor, client.DeleteHeartbeatMonitor)
	lifecycle([4]string{"CreateHeartbeat", "GetHeartbeatCheck", "UpdateHeartbeat", "DeleteHeartbeatMonitor"}, heartbeat,
		beatID, client.CreateHeartbeat, client.GetHeartbeatCheck, client.UpdateHeartbeat, client.DeleteHeartbeatMonitor)
}

func monitors(suiteID string) {
	places := []string{"eu-west-1"}
	tcp := sdk.TCPMonitor{Name: "Database", Frequency: 10, Locations: places, UseGlobalAlertSettings: true,
		Request: sdk.TCPRequest{Hostname: "127.0.0.1", Port: 5432}}
	tcpID := func(m *sdk.TCPMonitor) string { return m.ID }
	lifecycle(named("TCPMonitor"), tcp, tcpID, client.CreateTCPMonitor, client.GetTCPMonitor, client.UpdateTCPMonitor,
		client.DeleteTCPMonitor)
	lifecycle([4]string{"CreateTCPCheck", "GetTCPCheck", "UpdateTCPCheck", "DeleteTCPMonitor"}, tcp, tcpID,
		client.CreateTCPCheck, client.GetTCPCheck, client.UpdateTCPCheck, client.DeleteTCPMonitor)
	url := sdk.URLMonitor{Name: "Shop", Frequency: 10, Locations: places, UseGlobalAlertSettings: true,
		Request: sdk.URLRequest{URL: target, FollowRedirects: true}}
	lifecycle(named("URLMonitor"), url, func(m *sdk.URLMonitor) string { return m.ID }, client.CreateURLMonitor,
		client.GetURLMonitor, client.UpdateURLMonitor, client.DeleteURLMonitor)
	dns := sdk.DNSMonitor{Name: "Name", Frequency: 10, Locations: places, UseGlobalAlertSettings: true,
		Request: sdk.DNSRequest{RecordType: "A", Query: "example.org"}}
	lifecycle(named("DNSMonitor"), dns, func(m *sdk.DNSMonitor) string { return m.ID }, client.CreateDNSMonitor,
		client.GetDNSMonitor, client.UpdateDNSMonitor, client.DeleteDNSMonitor)
	icmp := sdk.ICMPMonitor{Name: "Router", Frequency: 10, Locations: places, UseGlobalAlertSettings: true,
		Request: sdk.ICMPRequest{Hostname: "127.0.0.1", PingCount: 3}}
	lifecycle(named("ICMPMonitor"), icmp, func(m *sdk.ICMPMonitor) string { return m.ID }, client.CreateICMPMonitor,
		client.GetICMPMonitor, client.UpdateICMPMonitor, client.DeleteICMPMonitor)
	ssl := sdk.SSLMonitor{Name: "Certificate", Frequency: 10, Locations: places, UseGlobalAlertSettings: true,
		Request: sdk.SSLRequest{SSLConfig: sdk.SSLConfig{Hostname: "example.org", Port: 443}}}
	lifecycle(named("SSLMonitor"), ssl, func(m *sdk.SSLMonitor) string { return m.ID }, client.CreateSSLMonitor,
		client.GetSSLMonitor, client.UpdateSSLMonitor, client.DeleteSSLMonitor)
	grpc := sdk.GRPCMonitor{Name: "gRPC", Frequency: 10, Locations: places, UseGlobalAlertSettings: true}
	lifecycle(named("GRPCMonitor"), grpc, func(m *sdk.GRPCMonitor) string { return m.ID }, client.CreateGRPCMonitor,
		client.GetGRPCMonitor, client.UpdateGRPCMonitor, client.DeleteGRPCMonitor)
	trace := sdk.TracerouteMonitor{Name: "Route", Frequency: 10, Locations: places, UseGlobalAlertSettings: true}
	lifecycle(named("TracerouteMonitor"), trace, func(m *sdk.TracerouteMonitor) string { return m.ID },
		client.CreateTracerouteMonitor, client.GetTracerouteMonitor, client.UpdateTracerouteMonitor,
		client.DeleteTracerouteMonitor)
	archive := project()
	bundle, err := client.UploadCodeBundle(ctx, bytes.NewReader(archive), int64(len(archive)), 
		sdk.UploadCodeBundleOptions{ChecksumSha256: fmt.Sprintf("%x", sha256.Sum256(archive))})
	bundle = get("UploadCodeBundle", bundle, err)
	peeked, err := client.PeekCodeBundle(ctx, bundle.Key)
	get("PeekCodeBundle", peeked, err)
	suite := sdk.PlaywrightCheck{Name: "Suite", Frequency: 10, Locations: places, UseGlobalAlertSettings: true,
		Browsers: []string{"chromium"}, CodeBundlePath: bundle.Key}
	made, err := client.CreatePlaywrightCheck(ctx, suite)
	get("CreatePlaywrightCheck", made, err)
	// Reads and changes a check that another client created.
	found, err := client.GetPlaywrightCheck(ctx, suiteID)
	found = get("GetPlaywrightCheck", found, err)
	found, err = client.UpdatePlaywrightCheck(ctx, suiteID, *found)
	get("UpdatePlaywrightCheck", found, err)
	report("DeletePlaywrightCheck", client.DeletePlaywrightCheck(ctx, suiteID))
}

// Returns a project with one file, as a gzipped tar file.
func project() []byte {
	var archive bytes.Buffer
	compressed := gzip.NewWriter(&archive)
	files := tar.NewWriter(compressed)
	content := []byte("test();")
	files.WriteHeader(&tar.Header{Name: "a.spec.ts", Mode: 0600, Size: int64(len(content))})
	files.Write(content)
	files.Close()
	compressed.Close()
	return archive.Bytes()
}

func groups() {
	defaults := sdk.APICheckDefaults{BaseURL: target}
	group := sdk.Group{Name: "Shop", Activated: true, Tags: []string{"shop"}, Locations: []string{"eu-west-1"},
		Concurrency: 3, APICheckDefaults: defaults, UseGlobalAlertSettings: true, PrivateLocations: &[]string{}}
	lifecycle(named("Group"), group, func(g *sdk.Group) int64 { return g.ID }, client.CreateGroup, client.GetGroup,
		client.UpdateGroup, client.DeleteGroup)
	second := sdk.GroupV2{Name: "Shop", Activated: true, Tags: []string{}, Locations: []string{}, Concurrency: 3,
		APICheckDefaults: defaults, PrivateLocations: &[]string{}}
	lifecycle(named("GroupV2"), second, func(g *sdk.GroupV2) int64 { return g.ID }, client.CreateGroupV2, client.GetGroupV2,
		client.UpdateGroupV2, client.DeleteGroupV2)
}

func resources() {
	lifecycle(named("Snippet"), sdk.Snippet{Name: "log in", Script: "return 1"},
		func(s *sdk.Snippet) int64 { return s.ID }, client.CreateSnippet, client.GetSnippet, client.UpdateSnippet,
		client.DeleteSnippet)
	lifecycle(named("EnvironmentVariable"), sdk.EnvironmentVariable{Key: "SHOP", Value: "one"},
		func(v *sdk.EnvironmentVariable) string { return v.Key }, client.CreateEnvironmentVariable,
		client.GetEnvironmentVariable, client.UpdateEnvironmentVariable, client.DeleteEnvironmentVariable)
	lifecycle(named("AlertChannel"), sdk.AlertChannel{Type: sdk.AlertTypeEmail,
		Email: &sdk.AlertChannelEmail{Address: "ops@example.com"}}, func(c *sdk.AlertChannel) int64 { return c.ID },
		client.CreateAlertChannel, client.GetAlertChannel, client.UpdateAlertChannel, client.DeleteAlertChannel)
	lifecycle(named("Dashboard"), sdk.Dashboard{CustomUrl: "shop-dashboard", Header: "Shop", RefreshRate: 60, PaginationRate: 60},
		func(d *sdk.Dashboard) string { return d.DashboardID }, client.CreateDashboard, client.GetDashboard,
		client.UpdateDashboard, client.DeleteDashboard)
	lifecycle(named("MaintenanceWindow"), sdk.MaintenanceWindow{Name: "upgrade", StartsAt: "2090-01-01T00:00:00.000Z",
		EndsAt: "2090-01-02T00:00:00.000Z", RepeatInterval: 1, RepeatUnit: "WEEK", RepeatEndsAt: "2091-01-02T00:00:00.000Z"}, func(m *sdk.MaintenanceWindow) int64 { return m.ID },
		client.CreateMaintenanceWindow, client.GetMaintenanceWindow, client.UpdateMaintenanceWindow,
		client.DeleteMaintenanceWindow)
	lifecycle(named("PrivateLocation"), sdk.PrivateLocation{Name: "Office", SlugName: "office", Icon: "squirrel"},
		func(p *sdk.PrivateLocation) string { return p.ID }, client.CreatePrivateLocation, client.GetPrivateLocation,
		client.UpdatePrivateLocation, client.DeletePrivateLocation)
}

func statusPages() {
	service, err := client.CreateStatusPageService(ctx, sdk.StatusPageService{Name: "Checkout"})
	service = get("CreateStatusPageService", service, err)
	read, err := client.GetStatusPageService(ctx, service.ID)
	get("GetStatusPageService", read, err)
	changed, err := client.UpdateStatusPageService(ctx, service.ID, *service)
	get("UpdateStatusPageService", changed, err)
	page := sdk.StatusPage{Name: "Shop", URL: "shop", DefaultTheme: sdk.StatusPageThemeAuto,
		Cards: []sdk.StatusPageCard{{Name: "All", Services: []sdk.StatusPageService{*service}}}}
	lifecycle(named("StatusPage"), page, func(p *sdk.StatusPage) string { return p.ID }, client.CreateStatusPage,
		client.GetStatusPage, client.UpdateStatusPage, client.DeleteStatusPage)
	report("DeleteStatusPageService", client.DeleteStatusPageService(ctx, service.ID))
}

func triggers(checkID string) {
	trigger, err := client.CreateTriggerCheck(ctx, checkID)
	get("CreateTriggerCheck", trigger, err)
	trigger, err = client.GetTriggerCheck(ctx, checkID)
	get("GetTriggerCheck", trigger, err)
	report("DeleteTriggerCheck", client.DeleteTriggerCheck(ctx, checkID))
	group, err := client.CreateGroup(ctx, sdk.Group{Name: "Triggered", Tags: []string{}, Locations: []string{}, Concurrency: 1})
	if err != nil {
		group = &sdk.Group{}
	}
	ofGroup, err := client.CreateTriggerGroup(ctx, group.ID)
	get("CreateTriggerGroup", ofGroup, err)
	ofGroup, err = client.GetTriggerGroup(ctx, group.ID)
	get("GetTriggerGroup", ofGroup, err)
	report("DeleteTriggerGroup", client.DeleteTriggerGroup(ctx, group.ID))
}

func others(checkID, resultID string) {
	cert, err := client.CreateClientCertificate(ctx, sdk.ClientCertificate{Host: "*.example.org",
		Certificate: os.Getenv("CLIENT_CERTIFICATE"), PrivateKey: os.Getenv("CLIENT_KEY")})
	cert = get("CreateClientCertificate", cert, err)
	cert2, err := client.GetClientCertificate(ctx, cert.ID)
	get("GetClientCertificate", cert2, err)
	report("DeleteClientCertificate", client.DeleteClientCertificate(ctx, cert.ID))
	results, err := client.GetCheckResults(ctx, checkID, &sdk.CheckResultsFilter{Limit: 10})
	get("GetCheckResults", &results, err)
	result, err := client.GetCheckResult(ctx, checkID, resultID)
	get("GetCheckResult", result, err)
	runtime, err := client.GetRuntime(ctx, "2026.04")
	get("GetRuntime", runtime, err)
	addresses, err := client.GetStaticIPs(ctx)
	get("GetStaticIPs", &addresses, err)
}

// Fails if the SDK has a method that the program does not call.
func assertComplete() {
	setters := map[string]bool{"SetAccountId": true, "SetChecklySource": true}
	methods := reflect.TypeOf((*sdk.Client)(nil)).Elem()
	for i := 0; i < methods.NumMethod(); i++ {
		if name := methods.Method(i).Name; !called[name] && !setters[name] {
			report(name, fmt.Errorf("not called by this program"))
		}
	}
}

func main() {
	arguments := os.Args[1:]
	client = sdk.NewClient(arguments[0], arguments[1], nil, nil)
	client.SetAccountId(arguments[2])
	client.SetChecklySource("test")
	checks()
	monitors(arguments[5])
	groups()
	resources()
	statusPages()
	triggers(arguments[3])
	others(arguments[3], arguments[4])
	assertComplete()
}
