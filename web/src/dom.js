// Small tools of the page: elements, icons, numbers and times.

/** An element: `h("a", { href, class, onclick, ... }, children...)`. */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null) continue;
    if (key.startsWith("aria-")) {
      element.setAttribute(key, String(value));
      continue;
    }
    if (value === false) continue;
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "style") for (const [name, text] of Object.entries(value)) element.style.setProperty(name, text);
    else if (key === "value") element.value = value;
    else if (key === "checked") element.checked = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Puts children in place of what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(
    ...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/**
 * The same, and what had the focus there has it again: what has the same `data-focus`, or else stands at the same
 * place.
 */
export function refill(element, ...children) {
  const all = () => [...element.querySelectorAll("a[href], button, input, select, textarea, [tabindex]")];
  const at = all().indexOf(document.activeElement);
  const { focus } = at < 0 ? {} : document.activeElement.dataset;
  fill(element, ...children);
  if (at < 0) return element;
  const same = focus === undefined ? all()[at] : all().find((one) => one.dataset.focus === focus);
  same?.focus({ preventScroll: true });
  return element;
}

const PATHS = {
  play: "M7 4.500v15l12-7.500z",
  pause: "M7 5h3.500v14H7zM13.500 5H17v14h-3.500z",
  next: "M6 5v14l9-7zM16 5h2.500v14H16z",
  back: "M18 5v14l-9-7zM5.500 5H8v14H5.500z",
  first: "M19 5v14l-7.500-7zM11.500 5v14L4 12z",
  last: "M5 5v14l7.500-7zM12.500 5v14L20 12z",
  undo: "M9 7V3L3 9l6 6v-4c5 0 8 1.500 10.500 5C19 11 15.500 7.500 9 7z",
  redo: "M15 7V3l6 6-6 6v-4c-5 0-8 1.500-10.500 5C5 11 8.500 7.500 15 7z",
  sun:
    "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM11 1h2v4h-2zM11 19h2v4h-2zM1 11h4v2H1zM19 11h4v2h-4z" +
    "M4.200 2.800l2.900 2.900-1.400 1.400-2.900-2.900zM18.300 16.900l2.900 2.900-1.400 1.400-2.900-2.900z" +
    "M2.800 19.800l2.900-2.900 1.400 1.400-2.900 2.900zM16.900 5.700l2.900-2.900 1.400 1.400-2.900 2.900z",
  moon: "M20 14.500A8.500 8.500 0 0 1 9.500 4 8.500 8.500 0 1 0 20 14.500z",
  gear:
    "M10.300 2h3.400l.5 2.600 1.700.7 2.200-1.500 2.400 2.400-1.500 2.200.7 1.700 2.600.5v3.400" +
    "l-2.600.5-.7 1.700 1.500 2.200-2.400 2.400-2.200-1.500-1.700.7-.5 2.600h-3.400" +
    "l-.5-2.600-1.700-.7-2.200 1.500-2.400-2.400 1.500-2.200-.7-1.700L1.700 14v-3.400" +
    "l2.600-.5.700-1.700-1.500-2.200 2.400-2.400 2.200 1.500 1.700-.7zM12 8.500" +
    "a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7z",
  restart: "M12 5V1L6.500 6 12 11V7.500a5 5 0 1 1-5 5H4.500A7.500 7.500 0 1 0 12 5z",
};

/** A picture of 20 pixels. */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(svg.namespaceURI, "path");
  path.setAttribute("d", PATHS[name]);
  path.setAttribute("fill", "currentColor");
  path.setAttribute("fill-rule", "evenodd");
  svg.append(path);
  return svg;
}

/** What stands at the top of a page: its title and a sentence about it. */
export function pageHead(title, ...words) {
  return h("div", { class: "page-head" }, h("h1", {}, title), h("p", {}, ...words));
}

/** A labelled input of a form. */
export function field(label, input) {
  return h("label", { class: "field" }, h("span", {}, label), input);
}

/** A list to choose from; `choices` are texts or `[value, text]`. */
export function choose(choices, value, onchange) {
  const options = choices.map((choice) => {
    const [key, text] = Array.isArray(choice) ? choice : [choice, choice];
    return h("option", { value: key, selected: key === value }, text);
  });
  return h("select", { onchange: (event) => onchange(event.target.value) }, options);
}

/** An on-off switch. */
export function toggle(label, checked, onchange, props = {}) {
  const input = h("input", {
    type: "checkbox",
    role: "switch",
    checked,
    onchange: (event) => onchange(event.target.checked),
    ...props,
  });
  return h("label", { class: "switch" }, input, h("span", {}, label));
}

/** A button. */
export function button(label, onclick, props = {}) {
  return h("button", { type: "button", onclick, ...props, class: `button ${props.class ?? ""}` }, label);
}

/** A square button with a picture. */
export function iconButton(name, label, onclick, props = {}) {
  return h(
    "button",
    {
      type: "button",
      onclick,
      "aria-label": label,
      title: label,
      ...props,
      class: `button square ${props.class ?? ""}`,
    },
    icon(name),
  );
}

/** Milliseconds as 00:00.0. */
export function clock(milliseconds) {
  const tenths = Math.max(0, Math.floor(milliseconds / 100));
  const two = (number) => String(number).padStart(2, "0");
  return `${two(Math.floor(tenths / 600))}:${two(Math.floor(tenths / 10) % 60)}.${tenths % 10}`;
}

/** Milliseconds as 00:00.000. */
export function stopwatch(milliseconds) {
  const whole = Math.max(0, Math.floor(milliseconds));
  return `${clock(whole)}${String(whole % 100).padStart(2, "0")}`;
}

/** A number with thousands apart; never -0. */
export function count(value, decimals = 0) {
  return (Number(Number(value ?? 0).toFixed(decimals)) + 0).toLocaleString("en-US", {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}

/** A place in the lab's queue, in words. */
export function inLine(place) {
  if (place === 0) return "At work …";
  const tens = place % 100;
  const ending = tens > 10 && tens < 14 ? "th" : (["th", "st", "nd", "rd"][place % 10] ?? "th");
  return `Waiting, ${place}${ending} in line …`;
}

/** Puts a text on the clipboard; resolves to whether the browser let it. */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** A day and time for lists. */
export function day(milliseconds) {
  return new Date(milliseconds).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}

/** Asks a question in a dialog; resolves to the chosen button's value, or null. */
export function ask(title, text, buttons) {
  return new Promise((resolve) => {
    const close = (value) => {
      dialog.close();
      dialog.remove();
      resolve(value);
    };
    const dialog = h(
      "dialog",
      {
        class: "ask",
        "aria-label": title,
        oncancel: (event) => {
          event.preventDefault();
          close(null);
        },
      },
      h(
        "div",
        { class: "stack" },
        h("h2", {}, title),
        h("p", { class: "soft" }, text),
        h(
          "div",
          { class: "row" },
          buttons.map(([label, value, kind]) => button(label, () => close(value), { class: kind })),
        ),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}
