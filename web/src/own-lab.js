// The lab in a worker of this page, in the shape of a WebSocket: the same messages, and nothing leaves the page.

export class OwnLab {
  constructor() {
    this.readyState = WebSocket.CONNECTING;
    this.worker = new Worker(new URL("../worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => this.hear(data);
    // One that cannot be loaded, or whose lab has failed.
    this.worker.onerror = (event) => this.end(event.message || "the lab could not be loaded");
  }

  send(text) {
    this.worker.postMessage(text);
  }

  close() {
    this.end("");
  }

  hear(data) {
    if (this.readyState === WebSocket.CLOSED) return;
    if (typeof data === "string") this.onmessage?.({ data });
    else if (data.closed !== undefined) this.end(data.closed);
    else {
      this.readyState = WebSocket.OPEN;
      this.onopen?.();
    }
  }

  end(reason) {
    if (this.readyState === WebSocket.CLOSED) return;
    this.readyState = WebSocket.CLOSED;
    this.worker.terminate();
    this.onclose?.({ reason });
  }
}
