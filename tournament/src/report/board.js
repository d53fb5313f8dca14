// What the viewer of games and the live page share: pieces, positions, boards.
const SVG = "http://www.w3.org/2000/svg";
const element = (name, attributes, parent) => {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (parent) parent.append(made);
  return made;
};

// Pieces on a square of 45 by 45: outline, and a line inside.
const SHAPES = {
  p: ["M22.5 9a5.3 5.3 0 0 0-3.4 9.4c-3.2 2.2-4.5 5.8-4.2 9.6h-3.4v8.5h22V28h-3.4c.3-3.8-1-7.4-4.2-9.6A5.3 5.3 0 0 0 22.5 9z", "M14.9 28h15.2"],
  r: ["M10 36.500h25V32h-3l-1-13 4-3.500V8.500h-5.500v3.500h-4.500V8.500h-5v3.500h-4.500V8.500H10v7l4 3.500-1 13h-3z", "M14 19h17M13 32h19"],
  n: ["M12 36.500h22c.6-13-1.500-22.500-10.500-26l-1.500-4-4.500 4.500C11.500 14 10 19 7.500 24c.2 3.500 3 5 5.500 3.500l4.500-3c.8 4-4.500 6-5.500 12z", "M16.500 16.500l1.500-.5M28 17c2.500 4 3 9 2.500 15"],
  b: ["M22.500 5.500a3 3 0 0 0-2 5.200C14.500 15 12.500 20.500 15 26.500l3 2-1 3.500h-6v4.500h23V32h-6l-1-3.500 3-2c2.500-6 .5-11.500-5.500-15.800a3 3 0 0 0-2-5.200z", "M22.500 15v8M18.500 19h8M17.500 28.500h10"],
  q: ["M7 13l5 15-.500 8.500h22L33 28l5-15-7.500 9-2.500-13.500-5.500 13L17 8.500 14.500 22z", "M12 28h21M11.800 32h21.400"],
  k: ["M21 4.500h3v3.700h3.700v3H24v3.600c7-3.300 13.300-.3 13.300 6 0 4.200-3 6.400-5.300 8.400v7.300H13v-7.300c-2.300-2-5.300-4.200-5.300-8.400 0-6.300 6.300-9.300 13.300-6v-3.600h-3.700v-3H21z", "M13 29.200h19M13 32.800h19M22.500 15v14"],
};

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const square = text => (text.charCodeAt(0) - 97) + 8 * (text.charCodeAt(1) - 49);

function parse(fen) {
  const fields = (fen || START).trim().split(/\s+/), board = Array(64).fill("");
  let rank = 7, file = 0;
  for (const c of fields[0]) {
    if (c === "/") { rank -= 1; file = 0; }
    else if (c >= "1" && c <= "8") file += Number(c);
    else if (SHAPES[c.toLowerCase()] && rank >= 0 && file < 8) { board[8 * rank + file] = c; file += 1; }
  }
  return { board, black: fields[1] === "b", number: Number(fields[5]) || 1 };
}

const isWhite = piece => piece !== "" && piece === piece.toUpperCase();

// Draws a position; `marked` are the squares of the last move.
function draw(svg, board, marked, turned) {
  svg.replaceChildren();
  for (let index = 0; index < 64; index += 1) {
    const file = index & 7, rank = index >> 3;
    const x = 45 * (turned ? 7 - file : file), y = 45 * (turned ? rank : 7 - rank);
    const ground = marked.includes(index) ? "sm" : (file + rank) % 2 ? "sl" : "sd";
    element("rect", { x, y, width: 45, height: 45, class: ground }, svg);
    if (file === (turned ? 7 : 0)) element("text", { x: x + 2, y: y + 10, class: "sc" }, svg).textContent = rank + 1;
    if (rank === (turned ? 7 : 0)) element("text", { x: x + 38, y: y + 43, class: "sc" }, svg).textContent = "abcdefgh"[file];
    const piece = board[index];
    if (piece) {
      const [outline, inside] = SHAPES[piece.toLowerCase()];
      const group = element("g", { transform: `translate(${x} ${y})`, class: isWhite(piece) ? "pw" : "pb" }, svg);
      element("path", { d: outline }, group);
      element("path", { d: inside, class: "i" }, group);
    }
  }
}

function duration(ms) {
  if (ms === null || ms === undefined) return "";
  const seconds = ms / 1000;
  if (seconds < 20) return seconds.toFixed(seconds < 1 ? 3 : 2) + " s";
  const minutes = Math.floor(seconds / 60);
  return minutes + ":" + String(Math.floor(seconds % 60)).padStart(2, "0");
}

function pawns(score) {
  if (score === null || score === undefined) return "?";
  const distance = 100000 - Math.abs(score), sign = score < 0 ? "\u2212" : "+";
  if (distance >= 0 && distance <= 1000) return sign + "M" + distance;
  return sign + (Math.abs(score) / 100).toFixed(2);
}

