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
  for (const time of all("time[data-t]", root)) {
    const text = timeText(Number(time.dataset.t), time.dataset.style);
    // The text node is changed and not replaced, so that screen readers do not read the clock aloud.
    if (text != null && time.firstChild && time.firstChild.nodeValue !== text) time.firstChild.nodeValue = text;
    const whole = timeText(Number(time.dataset.t), "F") || "";
    if (time.title !== whole) time.title = whole;
  }
}
setInterval(showTimes, 1000);

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
  const opened = from.matches(".spoiler.shown") && from.textContent === to.textContent;
  for (const { name, value } of [...to.attributes]) {
    if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
  if (opened) revealSpoiler(from);
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
  state.clock = u.now - Date.now();
  // A window may ask for something else before the answer to what it asked before is here.
  if (u.user !== state.user || u.asked !== state.channel) return;
  const moved = shown.user !== u.user || shown.channel !== u.channel;
  if (u.channel !== state.channel) {
    if (state.channel) toast("That channel is not there any more.");
    state.channel = u.channel;
    state.target = "";
    resend = true;
  }
  if (location.pathname + location.search !== u.address) history.replaceState(null, "", u.address + location.hash);
  document.title = u.title;
  state.locale = u.locale;
  const language = $("#language");
  if (language.value !== u.locale && (document.activeElement !== language || moved)) language.value = u.locale;
  for (const name of ["people", "places", "heading", "log-head", "menu"]) {
    const part = u.parts[name];
    if (!part) continue;
    const region = name === "menu" ? $("#menu-body") : document.getElementById(name);
    morphChildren(region, parse(part.html));
    region.dataset.hash = part.hash;
  }
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
  markRead();
}

const shown = { user: state.user, channel: state.channel };
let resend = false;

// applyMessages brings the list of messages to u.order and says whether one came at the end.
function applyMessages(u, moved) {
  // A list of another channel is not news to be read aloud.
  $("#live").setAttribute("aria-live", moved ? "off" : "polite");
  const focused = document.activeElement;
  const focusedMessage = focused && focused.closest && focused.closest("li.message");
  const focusedName = focusedMessage && controlName(focused);
  const keep = new Set(u.order);
  for (const li of [...log.children]) if (!keep.has(li.dataset.message)) li.remove();
  let added = false;
  let at = log.firstElementChild;
  for (const id of u.order) {
    let li = document.getElementById("m" + id);
    const part = u.parts["m" + id];
    if (!li) {
      if (!part) continue; // never: the server sends what the window has not
      li = element("li", { class: "message", id: "m" + id, "data-message": id, tabindex: "-1" });
      li.append(parse(part.html));
      log.insertBefore(li, at);
      added = added || !at;
    } else {
      if (li === at) at = at.nextElementSibling;
      else log.insertBefore(li, at);
      if (part) {
        const article = parse(part.html).firstElementChild;
        morph($("article", li), article);
        if (id === pressed) tellChange(li);
      }
    }
    if (part) li.dataset.hash = part.hash;
  }
  if (focusedMessage && !document.activeElement.closest("li.message") && document.activeElement === document.body) {
    // The control may have come back under another id, as a button does that serves the next question.
    const again = focusedName && all("button, select, summary, input, a[href]", focusedMessage).find((c) => !c.disabled && controlName(c) === focusedName);
    (focusedMessage.isConnected ? again || focusedMessage : scroller).focus({ preventScroll: true });
  }
  return added && !moved;
}

// pressed is the message whose control this window has used last. What the bot makes of it in place is told to
// screen readers, which are told of new messages only.
let pressed = "";
function tellChange(li) {
  pressed = "";
  const text = $(".content .md", li);
  $("#said").textContent = text ? text.innerText.trim().slice(0, 200) : "The message has changed.";
}

const controlName = (control) => control.nodeName + " " + (control.getAttribute("aria-label") || control.textContent.trim());

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
    $("#lost").textContent = "Connection to the sandbox lost: what you see may be old. Trying again…";
    $("#lost").hidden = false;
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
  $("main").inert = open;
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
  $("#said").textContent = "";
  note(li, "");
  const answer = await post(action, { message: li.dataset.message, ...fields });
  control.removeAttribute("aria-busy");
  // The message may change a moment after the answer; what changes later has other reasons.
  setTimeout(() => { if (pressed === li.dataset.message) pressed = ""; }, 2000);
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
  if (target.matches(".spoiler")) revealSpoiler(target);
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
  if (event.key === "Escape") closeDrawer();
  if ((event.key === "Enter" || event.key === " ") && event.target.matches(".spoiler:not(.shown)")) {
    event.preventDefault();
    revealSpoiler(event.target);
  }
});

function revealSpoiler(spoiler) {
  spoiler.classList.add("shown");
  for (const name of ["role", "aria-label"]) spoiler.removeAttribute(name);
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
  several.open = false;
}

async function dismiss(li) {
  const next = li.nextElementSibling || li.previousElementSibling;
  const answer = await post("dismiss", { message: li.dataset.message });
  if (answer.error) note(li, answer.error);
  else if (document.activeElement === document.body || li.contains(document.activeElement)) (next || say).focus({ preventScroll: true });
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

function confirmed(question, yes) {
  const dialog = $("#confirm");
  $("#confirm-text").textContent = question;
  $("#confirm-yes").textContent = yes;
  dialog.returnValue = "";
  dialog.showModal();
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
  if (!dialog.open) dialog.showModal();
  const first = $("input, textarea, select", form);
  if (first) first.focus();
}

async function submitModal(form) {
  const error = $(".error", form);
  const fields = {};
  let fault = "";
  for (const field of all("[data-field]", form)) fields[field.dataset.field] = [field.value];
  for (const select of all("select[data-select]", form)) fields[select.dataset.select] = select.value ? [select.value] : [];
  for (const box of all("[data-checkbox]", form)) fields[box.dataset.checkbox] = box.checked ? ["true"] : [];
  for (const group of all(".group", form)) {
    fields[group.dataset.group] = tickedValues(group);
    if (tickedValues(group).length || group.dataset.least !== "0") fault ||= amountFault(group);
  }
  for (const several of all(".several", form)) {
    fields[several.dataset.select] = tickedValues(several);
    fault ||= amountFault(several);
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
    $("#viewer").showModal();
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
    $("#viewer-text").textContent = small.alt;
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
// A dialog gives the focus back by itself, unless what had it was drawn anew meanwhile.
$("#viewer").addEventListener("close", () => {
  const link = viewer.pictures[viewer.at];
  if (link && link.isConnected) link.focus({ preventScroll: true });
  $("#viewer-picture").removeAttribute("src");
});

function openMenu(focus) {
  closeDrawer();
  $("#menu").showModal();
  if (focus === "add-person") $("#new-person").focus();
}
$("#open-menu").addEventListener("click", () => openMenu(""));
for (const dialog of all("dialog")) {
  // A press beside a dialog closes it, but for a form that is being filled in.
  dialog.addEventListener("click", (event) => { if (event.target === dialog && dialog.id !== "modal") dialog.close(); });
}

async function menuAction(control, text) {
  const data = control.dataset;
  if (data.confirm && !await confirmed(data.confirm, data.yes)) return;
  const fields = { on: data.state === "true" };
  if (text !== undefined) fields.text = text;
  if (data.guild) fields.guild = data.guild;
  if (data.channel) fields.channel = data.channel;
  const answer = await post(data.do, fields);
  if (answer.error) {
    toast(answer.error);
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
    if (!items.length && found && found.info) this.list.append(element("li", { class: "info", role: "presentation" }, found.info));
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
    const cancel = element("button", { type: "button", class: "icon", "aria-label": "Leave this command", title: "Leave this command" }, "✕");
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
      faulty[0].input.focus();
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
      id, autocomplete: "off", placeholder: option.description, "data-option": option.name, "aria-describedby": id + "-fault",
      maxlength: option.max_length || null, inputmode: option.type === OPTION.integer ? "numeric" : option.type === OPTION.number ? "decimal" : null,
    });
    this.fault = element("span", { class: "fault", id: id + "-fault", role: "alert" });
    parent.append(element("div", { class: "option" },
      element("label", { for: id, title: option.description }, option.label, " ",
        element("span", { class: option.required ? "needed" : "optional" }, option.required ? "required" : "optional")),
      this.input, this.fault));
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
    this.fault.textContent = fault;
    this.input.setAttribute("aria-invalid", String(fault !== ""));
  }
}

const commandLine = new CommandLine();
showTimes();
if (!state.target) toEnd();
connect();
