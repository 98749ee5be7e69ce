//! Driver of Chromium without a window, through a pair of pipes: the DevTools protocol, JSON with a zero after each
//! message.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Time limit of an answer. A browser that exceeds it is stuck; one on a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(300);

/// Running browser with one page, the last that was opened: pages that stayed open would go on moving, and take time
/// from the tested one. It ends when this value is dropped.
pub(crate) struct Browser {
    child: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    folder: tempfile::TempDir,
    sent: u64,
    pages: u64,
    page: Option<Value>,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Browser {
    /// Starts the browser that `UPSWEEP_TEST_BROWSER` names.
    pub(crate) fn start() -> Self {
        let program = std::env::var("UPSWEEP_TEST_BROWSER").unwrap_or_else(|_| "chromium".to_owned());
        let folder = tempfile::tempdir().unwrap();
        // The browser reads commands from descriptor 3 and writes to 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", &program])
            .args(["--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"])
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh starts");
        let (commands, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0) {
                let message = serde_json::from_slice(&message.unwrap()).unwrap();
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Self { child, commands, messages, folder, sent: 0, pages: 0, page: None }
    }

    /// Opens a page from a file of its own.
    pub(crate) fn open(&mut self, page: &str) -> Tab<'_> {
        self.open_at(page, "")
    }

    /// Opens a page at a fragment of its address, such as `#step=3`.
    pub(crate) fn open_at(&mut self, page: &str, fragment: &str) -> Tab<'_> {
        self.pages += 1;
        let path = self.folder.path().join(format!("{}.html", self.pages));
        std::fs::write(&path, page).unwrap();
        let url = format!("file://{}{fragment}", path.display());
        let mut tab = Tab { attached: None, url: url.clone(), events: Vec::new(), browser: self };
        let page = tab.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].take();
        if let Some(before) = tab.browser.page.replace(page.clone()) {
            tab.call("Target.closeTarget", json!({ "targetId": before }));
        }
        let attached = tab.call("Target.attachToTarget", json!({ "targetId": page, "flatten": true }));
        tab.attached = Some(attached["sessionId"].clone());
        for domain in ["Page", "Runtime", "Network", "Log"] {
            tab.call(&format!("{domain}.enable"), json!({}));
        }
        tab.resize(1280);
        tab.events.clear();
        tab.call("Page.navigate", json!({ "url": url }));
        tab.waits_for("document.readyState === 'complete'");
        tab
    }

    fn receive(&mut self) -> Value {
        self.messages.recv_timeout(PATIENCE).expect("the browser answers; UPSWEEP_TEST_BROWSER names it")
    }
}

/// Page in the browser.
pub(crate) struct Tab<'a> {
    browser: &'a mut Browser,
    attached: Option<Value>,
    url: String,
    events: Vec<Value>,
}

impl Tab<'_> {
    /// Calls a method of the protocol, and keeps the events that come before its answer.
    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.browser.sent += 1;
        let id = self.browser.sent;
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if let Some(attached) = &self.attached {
            message["sessionId"] = attached.clone();
        }
        let sent = self.browser.commands.write_all(format!("{message}\0").as_bytes());
        sent.expect("the browser runs; UPSWEEP_TEST_BROWSER names it");
        loop {
            let mut answer = self.browser.receive();
            if answer["id"] == id {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }

    /// Evaluates an expression, and awaits its promise.
    #[track_caller]
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut answer = self.call("Runtime.evaluate", parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].take()
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub(crate) fn waits_for(&mut self, expression: &str) {
        let start = Instant::now();
        while self.value(expression) != true {
            assert!(start.elapsed() < PATIENCE, "{expression}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses a key.
    pub(crate) fn key(&mut self, key: &str) {
        let code = if key == " " { "Space" } else { key };
        for kind in ["rawKeyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": key, "code": code }));
        }
    }

    /// Scrolls an element into sight, and returns its centre.
    #[track_caller]
    fn place(&mut self, selector: &str) -> Value {
        // Parts that appear with the model move the parts below.
        self.waits_for(
            "document.getElementById('model') === null || document.documentElement.dataset.model === 'ready'",
        );
        let selector = Value::from(selector);
        // The page's own scrolling happens when the next frame is drawn. Pictures that come in sight get their heights
        // only then (`content-visibility`), which moves the parts below. So the element has to stay in place first.
        self.value(&format!(
            "(async () => {{ const found = document.querySelector({selector}); \
             for (let still = 0, before = null; ; ) {{ \
             found.scrollIntoView({{ block: 'center', inline: 'center' }}); \
             await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))); \
             const box = found.getBoundingClientRect(); \
             const place = `${{box.x + scrollX}} ${{box.y + scrollY}}`; \
             still = place === before ? still + 1 : 0; before = place; \
             if (still === 3) return [box.x + box.width / 2, box.y + box.height / 2]; }} }})()"
        ))
    }

    /// Moves the mouse over an element.
    #[track_caller]
    pub(crate) fn point(&mut self, selector: &str) {
        let place = self.place(selector);
        self.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": place[0], "y": place[1] }));
    }

    /// Clicks on an element.
    #[track_caller]
    pub(crate) fn click(&mut self, selector: &str) {
        let place = self.place(selector);
        for kind in ["mousePressed", "mouseReleased"] {
            let parameters = json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", parameters);
        }
    }

    /// Drags an element to the right, and lets go after `look`.
    #[track_caller]
    pub(crate) fn drag<R>(&mut self, selector: &str, pixels: i64, look: impl FnOnce(&mut Self) -> R) -> R {
        let place = self.place(selector);
        let (x, y) = (place[0].as_f64().unwrap(), place[1].as_f64().unwrap());
        let mouse = |tab: &mut Self, kind: &str, x: f64| {
            let parameters = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
            tab.call("Input.dispatchMouseEvent", parameters);
        };
        mouse(self, "mousePressed", x);
        mouse(self, "mouseMoved", x + pixels as f64);
        let seen = look(self);
        mouse(self, "mouseReleased", x + pixels as f64);
        seen
    }

    /// Sets the width of the screen in pixels.
    pub(crate) fn resize(&mut self, width: u64) {
        let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Loads the page again, with or without scripts.
    pub(crate) fn reload(&mut self, scripts: bool) {
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": !scripts }));
        let url = self.url.clone();
        self.call("Page.navigate", json!({ "url": url }));
        self.waits_for("document.readyState === 'complete'");
    }

    /// Sets the preferences for a dark screen and for reduced motion.
    pub(crate) fn prefers(&mut self, dark: bool, still: bool) {
        let scheme = if dark { "dark" } else { "light" };
        let motion = if still { "reduce" } else { "no-preference" };
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": motion }
        ]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Processor time of the page so far, in milliseconds.
    pub(crate) fn busy(&mut self) -> f64 {
        self.call("Performance.enable", json!({ "timeDomain": "threadTicks" }));
        let metrics = self.call("Performance.getMetrics", json!({}));
        let thread = metrics["metrics"].as_array().unwrap().iter().find(|metric| metric["name"] == "ThreadTime");
        thread.and_then(|metric| metric["value"].as_f64()).expect("browsers count their time") * 1e3
    }

    /// Takes a picture of the top of the page, of this size in pixels, as PNG.
    pub(crate) fn shot(&mut self, width: u64, height: u64) -> Vec<u8> {
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
        let shot = self
            .call("Page.captureScreenshot", json!({ "format": "png", "clip": clip, "captureBeyondViewport": true }));
        base64(shot["data"].as_str().unwrap())
    }

    /// Checks that the page requested only itself, and had no errors.
    #[track_caller]
    pub(crate) fn is_quiet(&mut self) {
        self.value("0");
        let mut requests = 0;
        for event in &self.events {
            let parameters = &event["params"];
            match event["method"].as_str() {
                Some("Network.requestWillBeSent") => {
                    let url = parameters["request"]["url"].as_str().unwrap();
                    let own = self.url.split('#').next().unwrap();
                    assert!(url.starts_with(own) || url.starts_with("data:"), "{url}");
                    requests += 1;
                }
                Some("Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded") => {
                    assert_eq!(event, &Value::Null, "the page is silent");
                }
                _ => {}
            }
        }
        assert!(requests > 0, "requests are seen");
    }
}

/// Decodes base 64.
fn base64(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u32> = text.bytes().filter(|&byte| byte != b'=').map(|byte| digit(byte).into()).collect();
    let bytes = digits.chunks(4).flat_map(|four| {
        let bits = four.iter().enumerate().map(|(place, digit)| digit << (18 - 6 * place)).sum::<u32>();
        bits.to_be_bytes()[1..four.len()].to_vec()
    });
    bytes.collect()
}
