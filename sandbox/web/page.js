// The page's script. The server draws everything; this keeps the window at the server's truth, passes on
// what people do, and runs the command line.
"use strict";

const $ = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const phone = matchMedia("(max-width: 760px)");
const scroller = $("#scroller"), log = $("#log"), say = $("#say");

const state = {
  user: document.body.dataset.user,
  channel: document.body.dataset.channel,
  limit: 50,
  target: location.hash.startsWith("#m") ? location.hash.slice(2) : "", // a message to go to
  catalog: { commands: [], people: [], channels: [], roles: [] },
  locale: document.body.dataset.locale, // the language of the person's Discord
  clock: 0, // the server's clock less ours, in milliseconds
};

// element makes an element; what it holds is text, never markup.
function element(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) e.setAttribute(name, "");
    else if (value !== false && value != null) e.setAttribute(name, value);
  }
  e.append(...children.filter((c) => c != null));
  return e;
}

let toastTimer = 0;
function toast(text) {
  $("#toast").textContent = text;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { $("#toast").textContent = ""; }, 6000);
}

// tell has screen readers say something, once. Behind an open dialog nothing is heard: what is to be said then
// waits until it is closed.
let untold = [];
function tell(text) {
  if ($("dialog[open]")) {
    untold.push(text);
    return;
  }
  const line = element("p", {}, text);
  $("#said").append(line);
  setTimeout(() => line.remove(), 10000); // it has been heard, and is not to be found by reading on
}
document.addEventListener("close", () => {
  const texts = untold;
  untold = [];
  for (const text of texts) tell(text);
}, true);

// heard is what there is to read in an element, as it is said: emojis and pictures by their names, spoilers kept.
function heard(root) {
  const copy = root.cloneNode(true);
  for (const veiled of all(".spoiler:not(.shown)", copy)) veiled.replaceWith("(spoiler)");
  for (const picture of all("img", copy)) picture.replaceWith(picture.alt);
  for (const drawing of all("svg", copy)) drawing.remove();
  for (const end of all("br, p, li, h3, h4, h5, pre", copy)) end.append("\n");
  return copy.textContent.replace(/[ \t]+/g, " ");
}

// linesOf are the lines that a message says, from above to below.
function linesOf(li) {
  const parts = all(".content .md, .content .card-title, .content .file, .content .picture, .content .thinking, .content .failed", li)
    .filter((part) => part.checkVisibility() && !part.parentElement.closest(".md"));
  return parts.flatMap((part) => heard(part).split("\n")).map((line) => line.trim()).filter(Boolean);
}

// tellMessage tells of a message that has come.
function tellMessage(li) {
  const used = $(".used:has(code)", li), body = $("article", li);
  const lines = [used ? heard(used).trim() : "", body.getAttribute("aria-label") + ":", ...linesOf(li)];
  if (body.matches(".ephemeral")) lines.push("Only you can see this.");
  tell(lines.filter(Boolean).join("\n").slice(0, 800));
}

// post asks the server to do something as the person of this window. It never throws: what went wrong is
// in error.
async function post(name, fields, signal) {
  try {
    const response = await fetch("/do/" + name, {
      method: "POST", headers: { "Content-Type": "application/json" }, signal,
      body: JSON.stringify({ user: state.user, channel: state.channel, ...fields }),
    });
    if (response.headers.get("Content-Type") === "application/json") return await response.json();
    return { error: (await response.text()).trim() || "The sandbox answered " + response.status };
  } catch (e) {
    if (e.name === "AbortError") return { aborted: true };
    return { error: "The sandbox cannot be reached. Is it still running?" };
  }
}

// ---- Times ----

const formats = {
  t: { timeStyle: "short" }, T: { timeStyle: "medium" }, d: { dateStyle: "short" }, D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" }, F: { dateStyle: "full", timeStyle: "short" },
  m: { dateStyle: "short", timeStyle: "short" }, // above a message of another day
};
const writers = new Map(); // of times, by language and style: making one is slow
function writer(style, make) {
  const key = state.locale + " " + style;
  if (!writers.has(key)) writers.set(key, make());
  return writers.get(key);
}
const units = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

function timeText(second, style) {
  const date = new Date(second * 1000);
  if (Number.isNaN(date.getTime())) return null;
  const now = Date.now() + state.clock;
  if (style === "R") {
    const away = Math.round(second - now / 1000);
    const [unit, size] = units.find(([, s]) => Math.abs(away) >= s) || units.at(-1);
    return writer("R", () => new Intl.RelativeTimeFormat(state.locale)).format(Math.round(away / size), unit);
  }
  if (style === "m") {
    const today = new Date(now).toDateString() === date.toDateString();
    return dateText(today ? "t" : "m", date);
  }
  return dateText(style in formats ? style : "f", date);
}

function dateText(style, date) {
  return writer(style, () => new Intl.DateTimeFormat(state.locale, formats[style])).format(date);
}

function showTimes(root = document) {
  for (const time of all("time[data-t]", root)) showTime(time);
}

function showTime(time) {
  const { t, style } = time.dataset;
  const text = style === "edited" ? "(edited)" : timeText(Number(t), style);
  // The text node is changed and not replaced, so that screen readers do not read the clock aloud.
  if (text != null && time.firstChild && time.firstChild.nodeValue !== text) time.firstChild.nodeValue = text;
  const whole = timeText(Number(t), "F") || "";
  if (time.title !== whole) time.title = whole;
}
// Only what tells how far away a moment is changes by itself, and a message's time when its day ends: what is near
// each second, the rest each minute, for a long log has thousands.
let beat = 0;
setInterval(() => {
  const now = (Date.now() + state.clock) / 1000, whole = ++beat % 60 === 0;
  for (const time of all('time[data-style="R"], time[data-style="m"]')) {
    if (whole || (time.dataset.style === "R" && Math.abs(time.dataset.t - now) < 3700)) showTime(time);
  }
}, 1000);

// ---- Keeping what is shown at the truth ----

const keyOf = (n) => n.nodeType !== 1 ? null : n.id || n.dataset.key || n.dataset.press || n.dataset.select || null;

// morph changes one node into another in place, so that focus, scroll position and open selects survive
// wherever nothing has changed.
function morph(from, to) {
  if (from.isEqualNode(to)) return from;
  if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName || keyOf(from) !== keyOf(to)) {
    from.replaceWith(to);
    return to;
  }
  if (from.nodeType !== 1) {
    from.nodeValue = to.nodeValue;
    return from;
  }
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && name !== "open" && name !== "aria-busy") from.removeAttribute(name);
  }
  const revealed = from.matches(".spoiler.shown") && from.textContent === to.textContent;
  for (const { name, value } of [...to.attributes]) {
    if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
  if (revealed) revealSpoiler(from);
  morphChildren(from, to);
  if (from.nodeName === "SELECT") resetSelect(from);
  return from;
}

function morphChildren(from, to) {
  const keyed = new Map();
  for (const child of from.childNodes) if (keyOf(child)) keyed.set(keyOf(child), child);
  const wanted = new Set([...to.childNodes].map(keyOf).filter(Boolean));
  let at = from.firstChild;
  for (const next of [...to.childNodes]) {
    // What is not wanted any more goes before it is taken for something else.
    while (at && keyOf(at) && !wanted.has(keyOf(at))) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
    }
    const key = keyOf(next);
    const known = key && keyed.get(key);
    if (known && known.parentNode === from) {
      if (known === at) at = at.nextSibling;
      else from.insertBefore(known, at);
      morph(known, next);
    } else if (!key && at && !keyOf(at) && at.nodeName === next.nodeName) {
      const old = at;
      at = at.nextSibling;
      morph(old, next);
    } else {
      from.insertBefore(next, at);
    }
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html; // drawn and escaped by the server
  showTimes(template.content);
  return template.content;
}

// showChoice writes what is chosen on the face of a form's select. That of a message shows what the bot says
// is chosen.
function showChoice(select) {
  const face = $("button", select), option = select.selectedOptions[0];
  if (!face || !option) return; // the browser draws the face by itself
  const parts = [...option.childNodes].filter((n) => n.nodeType !== 1 || !n.matches(".choice-more"));
  face.replaceChildren(...parts.map((n) => n.cloneNode(true)));
}

function resetSelect(select) {
  const chosen = [...select.options].findIndex((o) => o.defaultSelected);
  select.selectedIndex = Math.max(chosen, 0);
}

const nearEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 80;
let followEnd = true; // the newest message stays in view
scroller.addEventListener("scroll", () => {
  followEnd = nearEnd();
  if (followEnd) $("#jump").hidden = true;
}, { passive: true });
new ResizeObserver(() => { if (followEnd) toEnd(); }).observe(scroller);
log.addEventListener("load", () => { if (followEnd) toEnd(); }, true); // pictures
function toEnd() { scroller.scrollTop = scroller.scrollHeight; }

function applyUpdate(u) {
  if (u.version !== document.body.dataset.version) {
    location.reload(); // the program was replaced, and this page is of the old one
    return;
  }
  if (u.gone) {
    location.assign("/");
    return;
  }
  const clock = state.clock;
  state.clock = u.now - Date.now();
  if (Math.abs(state.clock - clock) > 5000) showTimes(); // the server's clock was put forward
  // A window may ask for something else before the answer to what it asked before is here.
  if (u.user !== state.user || u.asked !== state.channel) return;
  const moved = shown.user !== u.user || shown.channel !== u.channel;
  const keepFocus = focusKeeper();
  if (u.channel !== state.channel) {
    if (state.channel) toast("That channel is not there any more.");
    state.channel = u.channel;
    state.target = "";
    resend = true;
  }
  if (location.pathname + location.search !== u.address) history.replaceState(null, "", u.address + location.hash);
  document.title = u.title;
  if (state.locale !== u.locale) {
    state.locale = u.locale;
    showTimes();
  }
  const language = $("#language");
  if (language.value !== u.locale && (document.activeElement !== language || moved)) language.value = u.locale;
  for (const name of ["people", "places", "heading", "log-head", "menu"]) {
    const part = u.parts[name];
    if (!part) continue;
    const region = name === "menu" ? $("#menu-body") : document.getElementById(name);
    morphChildren(region, parse(part.html));
    region.dataset.hash = part.hash;
  }
  tellMenu();
  const news = $("#people .badge, #places .badge") !== null;
  $("#drawer").classList.toggle("news", news);
  $("#drawer").setAttribute("aria-label", news ? "Channels and people: something waits" : "Channels and people");
  const added = applyMessages(u, moved);
  shown.user = u.user;
  shown.channel = u.channel;
  say.placeholder = u.composer.placeholder;
  say.disabled = $("#send").disabled = $("#slash").disabled = u.composer.disabled;
  if (u.catalog) {
    state.catalog = u.catalog;
    commandLine.catalogChanged();
  }
  if (moved) {
    followEnd = !state.target;
    commandLine.close();
    closeDrawer();
  }
  if (state.target) goToTarget();
  else if (followEnd) toEnd();
  else if (added) $("#jump").hidden = false;
  keepFocus();
  if (moved) tell("You are " + $("#heading .me bdi").textContent + ", in " + $("#heading h2").textContent.trim() + ".");
  markRead();
}

const shown = { user: state.user, channel: state.channel };
let resend = false;

// applyMessages brings the list of messages to u.order and says whether one came at the end.
function applyMessages(u, moved) {
  const keep = new Set(u.order);
  for (const li of [...log.children]) if (!keep.has(li.dataset.message)) li.remove();
  const fresh = []; // those that came at the end
  let at = log.firstElementChild;
  for (const id of u.order) {
    let li = document.getElementById("m" + id);
    const part = u.parts["m" + id];
    if (!li) {
      if (!part) continue; // never: the server sends what the window has not
      li = element("li", { class: "message", id: "m" + id, "data-message": id, tabindex: "-1" });
      li.append(parse(part.html));
      log.insertBefore(li, at);
      if (!at) fresh.push(li);
    } else {
      if (li === at) at = at.nextElementSibling;
      else log.insertBefore(li, at);
      if (part) {
        const article = parse(part.html).firstElementChild;
        const before = linesOf(li), promised = $(".thinking", li);
        morph($("article", li), article);
        if (id === pressed || promised) tellChange(li, before);
      }
    }
    if (part) li.dataset.hash = part.hash;
  }
  if (pressed && fresh.some((li) => $(`.used a[href="#m${pressed}"]`, li))) pressed = ""; // it was answered apart
  if (moved) return false; // the messages of another channel are not news
  fresh.forEach(tellMessage);
  return fresh.length > 0;
}

// pressed is the message whose control this window has used last. What the bot makes of it in place is told to
// screen readers, and so is the answer that was promised; of what else changes in place they are not told.
let pressed = "", pressTimer = 0;
function tellChange(li, before) {
  if (li.dataset.message === pressed) pressed = "";
  const old = new Set(before);
  const lines = linesOf(li).filter((line) => !old.has(line));
  tell(lines.length ? lines.join("\n").slice(0, 400) : "The message has changed.");
}

const controlName = (control) => control.nodeName + " " + (control.getAttribute("aria-label") || control.textContent.trim() + control.title);

// focusKeeper remembers what has the focus. What it returns gives the focus on where that is gone or can be used
// no more: to the control of the same name (it may have come back under another id, as a button does that serves
// the next question), to what it stood in, or to what stands there now.
function focusKeeper() {
  const had = document.activeElement;
  if (!had || had === document.body) return () => {};
  const li = had.closest("li.message"), region = had.closest("#people, #places, #menu-body, #log-head");
  const name = controlName(had), next = li && li.nextElementSibling, before = li && li.previousElementSibling;
  return () => {
    const has = document.activeElement;
    const usable = (e) => e && e.isConnected && !e.matches(":disabled") && e.checkVisibility({ visibilityProperty: true });
    if (has !== document.body && has !== had && usable(has)) return; // it has gone on by itself
    if (usable(had)) {
      if (has !== had) had.focus({ preventScroll: true });
      return;
    }
    const again = all("button, select, summary, input, a[href]", li || region || log).find((c) => usable(c) && controlName(c) === name);
    const stays = region && (region.id === "menu-body" ? $("#menu [data-close]") : $("[aria-current], a[href], button", region));
    const to = [(li || region) && again, li, next, before, stays, scroller, say].find(usable);
    if (to) to.focus({ preventScroll: true });
  };
}

function goToTarget() {
  const li = document.getElementById("m" + state.target);
  if (!li) {
    if (state.limit < 1000) {
      state.limit = 1000;
      sendView();
      return;
    }
    state.target = "";
    toast("That message is not here any more.");
    return;
  }
  for (const other of all(".message.target")) other.classList.remove("target");
  li.classList.add("target");
  li.scrollIntoView({ block: "center" });
  li.focus({ preventScroll: true });
  followEnd = nearEnd();
  state.target = "";
}

// ---- What has been seen ----

function seenStore() {
  try { return JSON.parse(localStorage.getItem("seen")) || {}; } catch { return {}; }
}

let lastSeen = "";
function markRead() {
  const last = log.lastElementChild;
  if (document.visibilityState !== "visible" || !last || !state.channel) return;
  const mark = state.user + " " + state.channel + " " + last.dataset.message;
  if (mark === lastSeen || !send({ type: "read", channel: state.channel, message: last.dataset.message })) return;
  lastSeen = mark;
  const seen = seenStore();
  (seen[state.user] ||= {})[state.channel] = last.dataset.message;
  try { localStorage.setItem("seen", JSON.stringify(seen)); } catch { /* the server remembers while it runs */ }
}
document.addEventListener("visibilitychange", markRead);

// ---- The live connection ----

let socket = null, tries = 0, retry = 0;

function send(message) {
  if (!socket || socket.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(message));
  return true;
}

// sendView says what this window looks at and has, so that the answer is what differs.
function sendView() {
  const have = {};
  for (const name of ["people", "places", "heading", "log-head"]) have[name] = document.getElementById(name).dataset.hash;
  have.menu = $("#menu-body").dataset.hash;
  for (const li of log.children) have["m" + li.dataset.message] = li.dataset.hash;
  lastSeen = "";
  return send({ type: "view", user: state.user, channel: state.channel, limit: state.limit, have, read: seenStore() });
}

function connect() {
  clearTimeout(retry);
  socket = new WebSocket("ws://" + location.host + "/live");
  socket.onopen = () => {
    tries = 0;
    sendView();
  };
  socket.onmessage = (event) => {
    $("#lost").hidden = true;
    document.body.dataset.live = "yes";
    resend = false;
    applyUpdate(JSON.parse(event.data));
    if (resend) sendView();
  };
  socket.onclose = () => {
    document.body.dataset.live = "no";
    if ($("#lost").hidden) { // it is said once, and not at each try
      $("#lost").hidden = false;
      $("#lost").textContent = "Connection to the sandbox lost: what you see may be old. Trying again…";
    }
    retry = setTimeout(connect, Math.min(4000, 250 * 2 ** tries++));
  };
}
for (const event of ["online", "focus", "pageshow"]) {
  addEventListener(event, () => { if (socket && socket.readyState === WebSocket.CLOSED) connect(); });
}

// ---- Going somewhere ----

function go(user, channel, target, push) {
  const address = "/?" + new URLSearchParams(channel ? { channel, user } : { user });
  if (!socket || socket.readyState !== WebSocket.OPEN) {
    location.assign(address + (target ? "#m" + target : ""));
    return;
  }
  const same = user === state.user && channel === state.channel;
  Object.assign(state, { user, channel, target });
  if (!same) state.limit = 50;
  if (push && !same) history.pushState(null, "", address);
  if (same && target && document.getElementById("m" + target)) goToTarget();
  else sendView();
  if (same) closeDrawer();
}

function follow(address, push) {
  const url = new URL(address, location.href);
  const user = url.searchParams.get("user") || state.user;
  go(user, url.searchParams.get("channel") || "", url.hash.startsWith("#m") ? url.hash.slice(2) : "", push);
}
addEventListener("popstate", () => follow(location.href, false));

function setDrawer(open) {
  document.body.classList.toggle("drawer-open", open);
  $("#drawer").setAttribute("aria-expanded", String(open));
  $("#shade").hidden = !open;
  $("main").inert = $(".skip").inert = open;
}
function closeDrawer() {
  if (document.body.classList.contains("drawer-open")) {
    setDrawer(false);
    $("#drawer").focus();
  }
}
$("#drawer").addEventListener("click", () => {
  setDrawer(true);
  ($("#places [aria-current]") || $("#people a")).focus();
});
$("#shade").addEventListener("click", closeDrawer);
$("#drawer-close").addEventListener("click", closeDrawer);
phone.addEventListener("change", () => setDrawer(false));

// ---- What people do ----

function note(li, text) {
  if (!li || !li.isConnected) {
    if (text) toast(text);
    return;
  }
  const old = $(".note", li);
  if (old) old.remove();
  if (text) li.append(element("p", { class: "note", role: "alert" }, text));
  if (text && followEnd) toEnd();
}

// interact sends a press or a choice and shows what the bot does not answer by a message.
async function interact(control, action, fields) {
  const li = control.closest("li.message");
  if (control.getAttribute("aria-busy") === "true") return;
  control.setAttribute("aria-busy", "true");
  pressed = li.dataset.message;
  clearTimeout(pressTimer);
  note(li, "");
  const answer = await post(action, { message: li.dataset.message, ...fields });
  control.removeAttribute("aria-busy");
  // The message may change a moment after the answer; what changes later has other reasons.
  clearTimeout(pressTimer);
  pressTimer = setTimeout(() => { pressed = ""; }, 3000);
  if (control.nodeName === "SELECT" && control.isConnected) resetSelect(control);
  if (answer.modal) openModal(answer.modal);
  else if (answer.failed || answer.error) note(li, answer.failed || answer.error);
}

document.addEventListener("click", (event) => {
  const target = event.target.closest("a, button, .spoiler, summary");
  if (!target) return;
  if (target.matches("a[href]")) {
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    const href = target.getAttribute("href");
    if (plain && target.matches("#log .picture")) {
      event.preventDefault();
      viewer.open(target);
    } else if (plain && href.startsWith("/?")) {
      event.preventDefault();
      follow(href, true);
    } else if (plain && href.startsWith("#m")) {
      event.preventDefault();
      go(state.user, state.channel, href.slice(2), false);
    }
    return;
  }
  const data = target.dataset;
  if (target.matches(".spoiler:not(.shown)")) showSpoiler(target);
  else if ("press" in data) interact(target, "press", { custom_id: data.press });
  else if ("choose" in data) chooseSeveral(target);
  else if ("dismiss" in data) dismiss(target.closest("li.message"));
  else if ("delete" in data) deleteMessage(target.closest("li.message"));
  else if ("command" in data) commandLine.openByName(data.command);
  else if ("earlier" in data) showEarlier();
  else if ("menu" in data) openMenu(data.menu);
  else if ("turn" in data) viewer.turn(Number(data.turn));
  else if ("close" in data) target.closest("dialog").close();
  else if ("do" in data) menuAction(target);
});

document.addEventListener("change", (event) => {
  const select = event.target;
  if (select.matches("select[data-do]")) menuAction(select, select.value);
  if (select.matches("#modal select")) showChoice(select);
  if (!select.matches("li.message select[data-select]")) return;
  interact(select, "select", { custom_id: select.dataset.select, values: select.value ? [select.value] : [] });
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    closeDrawer();
    const several = event.target.closest(".several[open]");
    if (several) {
      event.preventDefault(); // a form it stands in stays
      closeSeveral(several);
    }
  }
  if ((event.key === "Enter" || event.key === " ") && event.target.matches(".spoiler:not(.shown)")) {
    event.preventDefault();
    showSpoiler(event.target);
  }
});

// Where the pointer rests, what is cut off is shown whole, and an emoji with its name. (All of it is in the page
// for screen readers, which would say a title beside it.)
document.addEventListener("pointerover", (event) => {
  if (event.target.matches("img.emoji")) event.target.title = event.target.alt;
  const name = event.target.closest(".person, .place, #heading h2, #heading .topic, #heading .me, .used, select");
  if (!name) return;
  const cut = [name, ...all("bdi, .name, button > *", name)].some((e) => e.scrollWidth > e.clientWidth && getComputedStyle(e).textOverflow === "ellipsis");
  const text = name.nodeName === "SELECT" ? name.selectedOptions[0]?.textContent : name.textContent;
  if (cut) name.title = text.trim().replace(/\s+/g, " ");
  else name.removeAttribute("title");
});

function showSpoiler(spoiler) {
  revealSpoiler(spoiler);
  tell(heard(spoiler));
}

function revealSpoiler(spoiler) {
  spoiler.classList.add("shown");
  for (const name of ["role", "aria-label"]) spoiler.removeAttribute(name);
}

// closeSeveral closes a list of several choices; the focus goes back to what opened it.
function closeSeveral(several) {
  const inside = several.contains(document.activeElement);
  several.open = false;
  if (inside) $("summary", several).focus({ preventScroll: true });
}

function tickedValues(several) { return all("input:checked", several).map((i) => i.value); }

function amountFault(several) {
  const n = tickedValues(several).length, least = Number(several.dataset.least), most = Number(several.dataset.most);
  if (n < least) return "Choose at least " + least + ".";
  if (n > most) return "Choose at most " + most + ".";
  return "";
}

async function chooseSeveral(button) {
  const several = button.closest(".several");
  const fault = amountFault(several);
  if (fault) {
    note(button.closest("li.message"), fault);
    return;
  }
  await interact(button, "select", { custom_id: several.dataset.select, values: tickedValues(several) });
  // What is chosen is what the message says, as with a select.
  for (const box of all("input", several)) box.checked = box.defaultChecked;
  closeSeveral(several);
}

async function dismiss(li) {
  const answer = await post("dismiss", { message: li.dataset.message });
  if (answer.error) note(li, answer.error);
}

async function deleteMessage(li) {
  if (!await confirmed("Delete this message for everybody?", "Delete")) return;
  const answer = await post("delete-message", { message: li.dataset.message });
  if (answer.error) note(li, answer.error);
}

function showEarlier() {
  const first = log.firstElementChild, top = first && first.getBoundingClientRect().top;
  state.limit = Math.min(1000, state.limit + 100);
  followEnd = false;
  const back = new MutationObserver(() => {
    back.disconnect();
    if (first && first.isConnected) scroller.scrollTop += first.getBoundingClientRect().top - top;
  });
  back.observe(log, { childList: true });
  sendView();
}

$("#jump").addEventListener("click", () => {
  followEnd = true;
  toEnd();
  $("#jump").hidden = true;
  scroller.focus({ preventScroll: true });
});

// ---- Dialogs ----

// opened shows a dialog. A dialog gives the focus back by itself, unless what had it was drawn anew meanwhile.
function opened(dialog) {
  const keepFocus = focusKeeper();
  dialog.showModal();
  dialog.addEventListener("close", () => keepFocus(), { once: true });
}

function confirmed(question, yes) {
  const dialog = $("#confirm");
  $("#confirm-text").textContent = question;
  $("#confirm-yes").textContent = yes;
  dialog.returnValue = "";
  opened(dialog);
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
$("#confirm-yes").addEventListener("click", () => $("#confirm").close("yes"));

function openModal(html) {
  const dialog = $("#modal");
  dialog.replaceChildren(parse(html));
  dialog.setAttribute("aria-labelledby", "modal-title");
  const form = $("form", dialog);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submitModal(form);
  });
  if (!dialog.open) opened(dialog);
  const first = $("input, textarea, select", form);
  if (first) first.focus();
}

async function submitModal(form) {
  const error = $(".error", form);
  const fields = {};
  let fault = "";
  // wrong notes the first field where too few or too many are chosen, and goes there.
  const wrong = (field, label, first) => {
    if (fault || !amountFault(field)) return;
    fault = label.firstChild.textContent.trim() + ": " + amountFault(field);
    first.focus();
  };
  for (const field of all("[data-field]", form)) fields[field.dataset.field] = [field.value];
  for (const select of all("select[data-select]", form)) fields[select.dataset.select] = select.value ? [select.value] : [];
  for (const box of all("[data-checkbox]", form)) fields[box.dataset.checkbox] = box.checked ? ["true"] : [];
  for (const group of all(".group", form)) {
    fields[group.dataset.group] = tickedValues(group);
    if (tickedValues(group).length || group.dataset.least !== "0") wrong(group, $("legend", group), $("input", group));
  }
  for (const several of all(".several", form)) {
    fields[several.dataset.select] = tickedValues(several);
    wrong(several, $("label", several.closest(".field")), $("summary", several));
  }
  error.hidden = !fault;
  error.textContent = fault;
  if (fault) return;
  const button = $(".buttons .primary", form);
  button.setAttribute("aria-busy", "true");
  button.disabled = true;
  const answer = await post("modal", { interaction: form.dataset.interaction, fields });
  button.removeAttribute("aria-busy");
  button.disabled = false;
  const text = answer.error || answer.failed;
  error.hidden = !text;
  error.textContent = text || "";
  if (!text) $("#modal").close();
}

// viewer shows a picture of a message as large as the window allows, and by the arrow keys the others of
// the same message.
const viewer = {
  pictures: [], at: 0,
  open(link) {
    this.pictures = all(".picture", link.closest("li.message")).filter((p) => p.checkVisibility());
    this.at = this.pictures.indexOf(link);
    for (const arrow of all("#viewer [data-turn]")) arrow.hidden = this.pictures.length < 2;
    this.show();
    opened($("#viewer"));
    $("#viewer [data-close]").focus();
  },
  turn(by) {
    this.at = (this.at + by + this.pictures.length) % this.pictures.length;
    this.show();
  },
  show() {
    const link = this.pictures[this.at], small = $("img", link), large = $("#viewer-picture");
    large.src = $("#viewer-open").href = link.getAttribute("href");
    large.alt = small.alt;
    for (const side of ["width", "height"]) {
      if (small.hasAttribute(side)) large.setAttribute(side, small.getAttribute(side));
      else large.removeAttribute(side);
    }
    const place = this.pictures.length < 2 ? "" : ` (${this.at + 1} of ${this.pictures.length})`;
    $("#viewer-text").textContent = (small.alt || "Picture without a description") + place;
  },
};
$("#viewer").addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by || viewer.pictures.length < 2) return;
  event.preventDefault();
  viewer.turn(by);
});
$("#viewer").addEventListener("click", (event) => {
  if (event.target.matches(".viewer-stage, #viewer-picture")) $("#viewer").close();
});
// The focus goes to the picture that was looked at last.
$("#viewer").addEventListener("close", () => {
  const link = viewer.pictures[viewer.at];
  if (link && link.isConnected) link.focus({ preventScroll: true });
  $("#viewer-picture").removeAttribute("src");
});

function openMenu(focus) {
  closeDrawer();
  menuError("");
  opened($("#menu"));
  if (focus === "add-person") $("#new-person").focus();
}
$("#open-menu").addEventListener("click", () => openMenu(""));
for (const dialog of all("dialog")) {
  // A press beside a dialog closes it, but for a form that is being filled in.
  dialog.addEventListener("click", (event) => { if (event.target === dialog && dialog.id !== "modal") dialog.close(); });
}

// Behind the menu nothing is seen or heard, so it says itself what went wrong and what has changed.
let menuLine = null;
function menuError(text) {
  $("#menu-error").hidden = !text;
  $("#menu-error").textContent = text;
}
function tellMenu() {
  if (menuLine && menuLine.isConnected && $("#menu").open) $("#menu-said").textContent = $("span, label", menuLine).textContent;
}

async function menuAction(control, text) {
  const data = control.dataset;
  if (data.confirm && !await confirmed(data.confirm, data.yes)) return;
  const fields = { on: data.state === "true" };
  if (text !== undefined) fields.text = text;
  if (data.guild) fields.guild = data.guild;
  if (data.channel) fields.channel = data.channel;
  menuLine = control.closest(".line");
  menuError("");
  const answer = await post(data.do, fields);
  if (answer.error) {
    menuError(answer.error);
    return;
  }
  if (control.nodeName === "FORM") control.reset();
  if (answer.open) {
    $("#menu").close();
    follow(answer.open, true);
  }
}
$("#menu").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target.closest("form[data-do]");
  if (form) menuAction(form, new FormData(form).get("text"));
});

// ---- Theme ----

$("#theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("theme", root.dataset.theme); } catch { /* for this window only, then */ }
});

// ---- Language ----

$("#language").addEventListener("change", async (event) => {
  const answer = await post("language", { text: event.target.value });
  if (answer.error) {
    toast(answer.error);
    event.target.value = state.locale;
  }
});

// ---- Suggestions under a field ----

let listCount = 0;

// Suggestions is a combobox: a text field with a list of choices above it, used by keyboard, mouse and
// finger. find(text) gives [{label, detail, choice}] or {info: "..."}; pick(choice) takes one.
class Suggestions {
  constructor(input, { find, pick, eager = () => true }) {
    Object.assign(this, { input, find, pick, eager, items: [], active: -1, turn: 0, loading: false, takeFirst: false });
    this.list = element("ul", { class: "list", role: "listbox", id: input.id + "-list", "aria-label": "Suggestions", hidden: true });
    input.parentNode.append(this.list);
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-expanded", "false");
    input.setAttribute("aria-controls", this.list.id);
    input.addEventListener("keydown", (event) => this.key(event));
    input.addEventListener("blur", () => this.close());
    this.list.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
    this.list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.take(Number(option.dataset.index));
    });
  }

  get open() { return !this.list.hidden; }

  async refresh() {
    const turn = ++this.turn;
    this.loading = true;
    this.takeFirst = false;
    const found = await this.find(this.input.value);
    if (turn !== this.turn || document.activeElement !== this.input) return; // somebody typed on
    this.loading = false;
    this.show(found);
    if (this.takeFirst) this.take(this.active);
  }

  show(found) {
    const items = Array.isArray(found) ? found : [];
    this.items = items;
    this.list.replaceChildren(...items.map((item, i) => element("li", {
      role: "option", id: this.list.id + "-" + i, "data-index": i, "aria-selected": "false",
    }, element("b", { dir: "auto" }, item.label), item.detail ? element("span", { class: "quiet" }, item.detail) : null)));
    if (!items.length && found && found.info) {
      this.list.append(element("li", { class: "info", role: "presentation" }, found.info));
      tell(found.info);
    }
    this.list.hidden = !this.list.children.length;
    this.input.setAttribute("aria-expanded", String(this.open));
    this.activate(items.length && this.eager() ? 0 : -1);
  }

  activate(index) {
    this.active = index;
    all("[role=option]", this.list).forEach((o, i) => {
      o.setAttribute("aria-selected", String(i === index));
      if (i === index) o.scrollIntoView({ block: "nearest" });
    });
    if (index >= 0) this.input.setAttribute("aria-activedescendant", this.list.id + "-" + index);
    else this.input.removeAttribute("aria-activedescendant");
  }

  close() {
    this.turn++;
    this.loading = this.takeFirst = false;
    this.list.hidden = true;
    this.items = [];
    this.active = -1;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  take(index) {
    const item = this.items[index];
    if (!item) return;
    this.close();
    this.pick(item);
  }

  key(event) {
    if (event.isComposing || event.defaultPrevented) return;
    const n = this.items.length;
    if (event.key === "Escape" && (this.open || this.loading)) {
      event.preventDefault();
      this.close();
    } else if (event.key === "Enter" && this.loading && this.eager()) {
      // What is typed fits choices that are on their way: Enter takes the first of them.
      event.preventDefault();
      this.takeFirst = true;
    } else if (event.key === "ArrowDown" && n) {
      event.preventDefault();
      this.activate((this.active + 1) % n);
    } else if (event.key === "ArrowUp" && n) {
      event.preventDefault();
      this.activate((this.active <= 0 ? n : this.active) - 1);
    } else if (event.key === "ArrowDown" && !this.open) {
      this.refresh();
    } else if (this.active >= 0 && (event.key === "Enter" || (event.key === "Tab" && !event.shiftKey && this.input.value))) {
      if (event.key === "Enter") event.preventDefault();
      this.take(this.active);
    }
  }
}

// ---- The command line ----

const OPTION = { string: 3, integer: 4, boolean: 5, user: 6, channel: 7, role: 8, mentionable: 9, number: 10, attachment: 11 };

// plainName is what a command is called whatever the language.
const plainName = (command) => (command.command + " " + command.sub).trim();

class CommandLine {
  constructor() {
    this.form = $("#command");
    this.command = null;
    this.fields = [];
    this.commands = new Suggestions(say, { find: (text) => this.findCommands(text), pick: (item) => this.begin(item.choice) });
    say.addEventListener("input", () => this.typed());
    say.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing && !event.defaultPrevented) {
        event.preventDefault();
        this.sendText();
      }
    });
    $("#text").addEventListener("submit", (event) => {
      event.preventDefault();
      this.sendText();
    });
    $("#slash").addEventListener("click", () => {
      if (!say.value.startsWith("/")) say.value = "/";
      say.focus();
      this.typed();
    });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.sendCommand();
    });
    this.form.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented) {
        event.preventDefault();
        this.close();
        say.focus();
      }
    });
  }

  error(text) {
    $("#composer-error").hidden = !text;
    $("#composer-error").textContent = text;
  }

  typed() {
    this.error("");
    if (!say.value.startsWith("/")) {
      this.commands.close();
      return;
    }
    const exact = state.catalog.commands.find((c) => say.value === "/" + c.name + " " || say.value === "/" + plainName(c) + " ");
    const longer = exact && state.catalog.commands.some((c) => c.name.startsWith(exact.name + " "));
    if (exact && !longer) {
      this.commands.close();
      this.begin(exact);
      return;
    }
    this.commands.refresh();
  }

  findCommands(text) {
    if (!text.startsWith("/")) return [];
    if (!state.catalog.commands.length) return { info: "There are no commands here: the bot has not registered any, or is not a member." };
    const words = text.slice(1).toLowerCase().split(/\s+/).filter(Boolean);
    const found = state.catalog.commands.filter((c) => words.every((w) => c.name.toLowerCase().includes(w) || plainName(c).includes(w)));
    if (!found.length) return { info: "No command here is called that." };
    // What is typed whole or begun comes first: /paladin me is not taken for /paladin resume.
    const wanted = words.join(" ");
    const distance = (c) => Math.min(...[c.name.toLowerCase(), plainName(c)].map((name) =>
      name === wanted ? 0 : name.startsWith(wanted) ? 1 : words.every((w) => name.split(" ").some((part) => part.startsWith(w))) ? 2 : 3));
    return found.sort((a, b) => distance(a) - distance(b)).map((c) => ({
      label: "/" + c.name, choice: c,
      detail: c.description + (c.options.length ? "  (" + c.options.map((o) => o.label + (o.required ? "" : "?")).join(", ") + ")" : ""),
    }));
  }

  async sendText() {
    if (this.commands.active >= 0) {
      this.commands.take(this.commands.active);
      return;
    }
    const text = say.value;
    if (!text.trim()) return;
    if (text.startsWith("/")) {
      this.error("No command here is called " + text.split(/\s/)[0] + ". Type / alone to see those there are.");
      return;
    }
    say.value = "";
    followEnd = true;
    const answer = await post("say", { text });
    if (!answer.error) return;
    this.error(answer.error);
    if (!say.value) say.value = text;
  }

  openByName(name) {
    const command = state.catalog.commands.find((c) => plainName(c) === name);
    if (command) this.begin(command);
    else this.error("/" + name + " is not offered here.");
  }

  // catalogChanged leaves a command that is being filled in alone, unless it is gone.
  catalogChanged() {
    if (!this.command) {
      if (say.value.startsWith("/") && document.activeElement === say) this.commands.refresh();
      return;
    }
    if (!state.catalog.commands.some((c) => JSON.stringify(c) === JSON.stringify(this.command))) {
      this.close();
      this.error("The bot has changed its commands: please choose again.");
    }
  }

  begin(command) {
    this.error("");
    this.command = command;
    say.value = "";
    const options = element("div", { class: "options" });
    this.fields = [...command.options].sort((a, b) => (b.required ? 1 : 0) - (a.required ? 1 : 0)).map((option) => new OptionField(this, option, options));
    const cancel = element("button", { type: "button", class: "icon", title: "Leave this command" }, element("span", { "aria-hidden": "true" }, "✕"));
    cancel.addEventListener("click", () => {
      this.close();
      say.focus();
    });
    this.submit = element("button", { class: "button primary", id: "send-command" }, "Send");
    this.hint = element("span", { class: "quiet" }, "Enter sends, Escape leaves");
    this.form.setAttribute("aria-label", "Command /" + command.name);
    this.form.replaceChildren(
      element("div", { class: "chip" }, element("b", {}, "/" + command.name), element("span", { class: "quiet" }, command.description), cancel),
      options,
      element("div", { class: "command-end" }, this.hint, this.submit));
    $("#text").hidden = true;
    this.form.hidden = false;
    (this.fields[0] ? this.fields[0].input : this.submit).focus();
    if (followEnd) toEnd();
  }

  close() {
    if (!this.command) return;
    this.command = null;
    this.fields = [];
    this.form.hidden = true;
    this.form.replaceChildren();
    $("#text").hidden = false;
    this.error("");
  }

  filled() { return this.fields.filter((f) => f.text() !== "").map((f) => ({ name: f.option.name, type: f.option.type, text: f.text() })); }

  // next goes to the first field after this one that must still be filled in, or to the end.
  next(field) {
    const rest = this.fields.slice(this.fields.indexOf(field) + 1);
    const open = rest.find((f) => f.option.required && f.text() === "");
    (open ? open.input : this.submit).focus();
  }

  async sendCommand() {
    this.error("");
    const faulty = this.fields.filter((f) => f.check());
    if (faulty.length) {
      const { input, fault } = faulty[0];
      // The field's description says what is wrong to who comes there; who is there already is told.
      if (document.activeElement === input) tell(fault.textContent);
      else input.focus();
      return;
    }
    const command = this.command;
    this.submit.disabled = true;
    this.submit.setAttribute("aria-busy", "true");
    const answer = await post("command", { command: command.command, sub: command.sub, options: this.filled() });
    if (this.command === command) {
      this.submit.disabled = false;
      this.submit.removeAttribute("aria-busy");
      if (!answer.error) {
        this.close();
        if (!phone.matches) say.focus(); // on a phone the keyboard would cover the answer
      }
    }
    followEnd = true;
    toEnd();
    if (answer.modal) openModal(answer.modal);
    else if (answer.error || answer.failed) this.error(answer.error || "/" + command.name + ": " + answer.failed);
  }
}

// OptionField is one option of the command that is being filled in.
class OptionField {
  constructor(line, option, parent) {
    this.line = line;
    this.option = option;
    const id = "option-" + ++listCount;
    this.input = element("input", {
      id, autocomplete: "off", placeholder: option.description, "data-option": option.name, "aria-describedby": id + "-about " + id + "-fault",
      "aria-required": option.required ? "true" : null,
      maxlength: option.max_length || null, inputmode: option.type === OPTION.integer ? "numeric" : option.type === OPTION.number ? "decimal" : null,
    });
    this.fault = element("span", { class: "fault", id: id + "-fault" });
    parent.append(element("div", { class: "option" },
      element("label", { for: id, title: option.description }, option.label, " ",
        element("span", { class: option.required ? "needed" : "optional" }, option.required ? "required" : "optional")),
      this.input, element("span", { class: "unseen", id: id + "-about" }, option.description), this.fault));
    this.input.addEventListener("input", () => {
      this.chosen = null;
      this.say("");
      if (this.suggestions) this.suggestions.refresh();
    });
    this.input.addEventListener("focus", () => { line.hint.textContent = option.label + ": " + option.description; });
    this.input.addEventListener("keydown", (event) => this.key(event));
    if (this.offers()) {
      this.suggestions = new Suggestions(this.input, {
        find: (text) => this.find(text),
        pick: (item) => this.choose(item),
        eager: () => option.required || this.input.value !== "",
      });
      this.input.addEventListener("focus", () => { if (!this.chosen) this.suggestions.refresh(); });
    }
    // Added after the list's own handler, so that a choice has been taken when Enter or Tab comes here.
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.defaultPrevented && !event.isComposing) {
        event.preventDefault();
        const open = line.fields.find((f) => f.option.required && f.text() === "");
        if (open && open !== this) open.input.focus();
        else line.sendCommand();
      }
    });
  }

  key(event) {
    if (event.key === "Backspace" && this.input.value === "" && this.line.fields[0] === this) {
      event.preventDefault();
      this.line.close();
      say.focus();
    }
  }

  choose(item) {
    this.chosen = item;
    this.input.value = item.label;
    this.say("");
    this.line.next(this);
  }

  // offers says whether there is a list to choose from.
  offers() {
    const { type, choices, autocomplete } = this.option;
    return Boolean(autocomplete || (choices && choices.length) || [OPTION.boolean, OPTION.user, OPTION.channel, OPTION.role, OPTION.mentionable].includes(type));
  }

  // fixed is the whole list, when the bot need not be asked.
  fixed() {
    const { type, choices, channel_types: types } = this.option;
    const { people, channels, roles } = state.catalog;
    const named = (list) => list.map((n) => ({ label: n.name, value: n.id }));
    if (choices && choices.length) return choices.map((c) => ({ label: c.name, value: String(c.value) }));
    switch (type) {
      case OPTION.boolean: return [{ label: "True", value: "true" }, { label: "False", value: "false" }];
      case OPTION.user: return named(people);
      case OPTION.channel: return named(channels.filter((c) => !types || !types.length || types.includes(c.type)));
      case OPTION.role: return named(roles);
      case OPTION.mentionable: return named([...people, ...roles]);
    }
    return null;
  }

  async find(text) {
    const fixed = this.fixed();
    if (fixed) {
      const wanted = text.trim().toLowerCase();
      const found = fixed.filter((c) => c.label.toLowerCase().includes(wanted));
      return found.length ? found : { info: "Nothing in the list fits." };
    }
    if (this.request) this.request.abort();
    this.request = new AbortController();
    const { command, sub } = this.line.command;
    const options = this.line.filled().filter((o) => o.name !== this.option.name);
    options.push({ name: this.option.name, type: this.option.type, text });
    const answer = await post("autocomplete", { command, sub, focused: this.option.name, options }, this.request.signal);
    if (answer.aborted) return [];
    if (answer.error) return { info: "Loading the choices failed: " + answer.error };
    const choices = answer.choices || [];
    if (!choices.length) return { info: "The bot offers nothing here." };
    return choices.map((c) => ({ label: c.name, value: String(c.value) }));
  }

  // text is the value as it is sent.
  text() {
    if (this.chosen) return this.chosen.value;
    const typed = this.input.value.trim();
    const fixed = this.fixed();
    if (!fixed || !typed) return typed;
    const same = fixed.find((c) => c.label.toLowerCase() === typed.toLowerCase());
    return same ? same.value : typed;
  }

  // check says whether something is wrong, and what, beside the field.
  check() {
    const { option } = this;
    const text = this.text(), fixed = this.fixed();
    let fault = "";
    if (!text) {
      if (option.required) fault = "This option is required.";
    } else if (fixed && !fixed.some((c) => c.value === text)) {
      fault = "Choose from the list.";
    } else if (option.type === OPTION.integer && !/^-?\d+$/.test(text)) {
      fault = "This must be a whole number.";
    } else if (option.type === OPTION.number && !Number.isFinite(Number(text))) {
      fault = "This must be a number.";
    } else if (option.min_value != null && Number(text) < option.min_value) {
      fault = "The least is " + option.min_value + ".";
    } else if (option.max_value != null && Number(text) > option.max_value) {
      fault = "The most is " + option.max_value + ".";
    } else if (option.min_length != null && text.length < option.min_length) {
      fault = "At least " + option.min_length + " characters.";
    } else if (option.type === OPTION.attachment) {
      fault = "Files cannot be sent from this page.";
    }
    this.say(fault);
    return fault !== "";
  }

  say(fault) {
    if (this.fault.textContent !== fault) this.fault.textContent = fault;
    this.input.setAttribute("aria-invalid", String(fault !== ""));
  }
}

const commandLine = new CommandLine();
showTimes();
if (!state.target) toEnd();
connect();
