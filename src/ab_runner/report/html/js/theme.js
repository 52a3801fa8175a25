// Light, dark and print.

function createTheme({ charts }) {
  const button = document.getElementById("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";

  function repaint() {
    button.textContent = isDark() ? "Light" : "Dark";
    charts.updateAll();
  }

  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    repaint();
  });
  dark.addEventListener("change", repaint);
  button.hidden = false;

  addEventListener("beforeprint", () => {
    root.classList.add("printing");
    charts.drawForPrint();
  });
  addEventListener("afterprint", () => {
    root.classList.remove("printing");
    repaint();
  });

  return { repaint };
}
