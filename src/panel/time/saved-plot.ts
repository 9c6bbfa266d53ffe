/** Saves a drawn plot as SVG or PNG. */

/** A PNG has this many pixels for each pixel of the screen. */
const SCALE = 2;

/** The text of an SVG file with the plot, before the background colour for which the plot's colours are chosen. */
export function svgOf(svg: SVGSVGElement, ground: string): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const behind = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  behind.setAttribute('width', '100%');
  behind.setAttribute('height', '100%');
  behind.setAttribute('fill', ground);
  copy.prepend(behind);
  return new XMLSerializer().serializeToString(copy);
}

/** The picture that the text of an SVG describes. */
export async function pictureOf(
  text: string,
  svg: SVGSVGElement
): Promise<Blob> {
  const { width, height } = svg.getBoundingClientRect();
  const address = URL.createObjectURL(
    new Blob([text], { type: 'image/svg+xml' })
  );
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(width * SCALE);
    canvas.height = Math.round(height * SCALE);
    canvas
      .getContext('2d')
      ?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise<Blob>((resolve, reject) =>
      canvas.toBlob(blob =>
        blob === null
          ? reject(
              new Error(
                'The browser could not make a PNG of the plot. Save the plot as SVG.'
              )
            )
          : resolve(blob)
      )
    );
  } finally {
    URL.revokeObjectURL(address);
  }
}
