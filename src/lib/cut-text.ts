/** The text, or so many of its characters and a mark that more of it followed. */
export const cutText = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;
