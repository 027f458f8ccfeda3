// Choosing a placement on a board.

/** Chooses a placement on a board with pointer or keys. */
export class Chooser {
  constructor(view, onchoose) {
    Object.assign(this, { view, onchoose, options: [], rotation: 0, chosen: null });
    const { canvas } = view;
    view.element.tabIndex = 0;
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerdown", (event) => {
      this.isTouched = event.pointerType === "touch";
    });
    canvas.addEventListener("click", (event) => {
      const before = this.chosen;
      this.point(event);
      // A finger has not pointed before it touches: it aims first, and places by touching the same again.
      if (!this.isTouched || before === this.chosen) this.take();
    });
    canvas.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      this.turn(1);
    });
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.turn(Math.sign(event.deltaY));
      },
      { passive: false },
    );
  }

  offer(board, options, colour) {
    Object.assign(this, { board, colour, options: options.map((option, index) => ({ ...option, index })) });
    this.rotations = [...new Set(this.options.map((option) => option.rotation))].sort((a, b) => a - b);
    if (!this.rotations.includes(this.rotation)) this.rotation = this.rotations[0];
    this.column = this.column ?? Math.floor(this.view.width / 2);
    this.pick();
  }

  /** The option of this rotation whose middle is nearest to the pointer. */
  pick() {
    const middle = (option, axis) => option.cells.reduce((sum, cell) => sum + cell[axis], 0) / option.cells.length;
    const far = (option) =>
      Math.abs(middle(option, 0) - this.column) + 0.01 * Math.abs(middle(option, 1) - (this.row ?? 0));
    this.chosen =
      this.options.filter((option) => option.rotation === this.rotation).sort((a, b) => far(a) - far(b))[0] ?? null;
    if (this.options.length)
      this.view.draw({
        board: this.board,
        ghost: this.chosen && { cells: this.chosen.cells, colour: this.chosen.colour ?? this.colour },
      });
  }

  point(event) {
    const box = this.view.canvas.getBoundingClientRect();
    this.column = ((event.clientX - box.left) / box.width) * this.view.width - 0.5;
    this.row = (1 - (event.clientY - box.top) / box.height) * this.view.height - 0.5;
    this.pick();
  }

  turn(by) {
    const at = this.rotations.indexOf(this.rotation);
    this.rotation = this.rotations[(at + by + this.rotations.length) % this.rotations.length];
    this.pick();
  }

  /** The neighbour of the chosen option to the left or right. */
  shift(by) {
    const same = this.options.filter((option) => option.rotation === this.rotation);
    const at = same.indexOf(this.chosen);
    const next = same[Math.max(0, Math.min(same.length - 1, at + by))];
    if (!next) return;
    this.column = next.cells.reduce((sum, cell) => sum + cell[0], 0) / next.cells.length;
    this.row = next.cells.reduce((sum, cell) => sum + cell[1], 0) / next.cells.length;
    this.pick();
  }

  take() {
    if (this.chosen) this.onchoose(this.chosen.index);
  }

  key(event) {
    const act = {
      ArrowLeft: () => this.shift(-1),
      ArrowRight: () => this.shift(1),
      ArrowUp: () => this.turn(1),
      KeyR: () => this.turn(1),
      ArrowDown: () => this.turn(-1),
      Enter: () => this.take(),
      Space: () => this.take(),
    }[event.code];
    if (!act || event.target.tagName === "BUTTON" || event.target.tagName === "A") return false;
    act();
    return true;
  }
}
