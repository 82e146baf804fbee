// Searches the index that stands in search-index.js, and remembers whether the pages are dark or light.
(function () {
  "use strict";
  var root = document.documentElement;
  var input = document.getElementById("search");
  var results = document.getElementById("results");
  var MAX_RESULTS = 30;
  var SEARCH_HASH = "#search=";

  function fold(text) {
    return text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  }

  var pages = (window.wikiIndex || []).map(function (page) {
    return { title: page[0], kind: page[1], address: page[2], text: page[3], name: fold(page[0]), words: fold(page[3]) };
  });

  function find(query) {
    var words = fold(query).split(/\s+/).filter(Boolean);
    if (!words.length) { return []; }
    var found = pages.map(function (page) {
      var rank = 0;
      for (var i = 0; i < words.length; i += 1) {
        if (page.name.indexOf(words[i]) !== -1) { rank += 2; }
        else if (page.words.indexOf(words[i]) !== -1) { rank += 1; }
        else { return { page: page, rank: 0 }; }
      }
      return { page: page, rank: rank };
    });
    found = found.filter(function (one) { return one.rank > 0; });
    found.sort(function (one, other) { return other.rank - one.rank; });
    return found.slice(0, MAX_RESULTS);
  }

  function excerpt(page, query) {
    var word = fold(query).split(/\s+/).filter(Boolean)[0] || "";
    var found = page.words.indexOf(word);
    var start = found > 40 ? page.text.indexOf(" ", found - 40) + 1 : 0;
    var end = page.text.length > start + 120 ? page.text.lastIndexOf(" ", start + 120) : page.text.length;
    end = end > start ? end : start + 120;
    return (start > 0 ? "… " : "") + page.text.slice(start, end) + (end < page.text.length ? " …" : "");
  }

  function show() {
    results.textContent = "";
    find(input.value).forEach(function (one) {
      var item = document.createElement("li");
      var link = document.createElement("a");
      var about = document.createElement("div");
      link.href = one.page.address;
      link.textContent = one.page.title;
      about.className = "kind";
      about.textContent = one.page.kind + " · " + excerpt(one.page, input.value);
      item.appendChild(link);
      item.appendChild(about);
      results.appendChild(item);
    });
    if (input.value.trim() && !results.firstChild) {
      results.textContent = "Nothing has all of these words.";
    }
  }

  function remembered() {
    try { return window.localStorage.getItem("theme"); } catch (error) { return null; }
  }

  function setTheme(theme) {
    root.setAttribute("data-theme", theme);
    try { window.localStorage.setItem("theme", theme); } catch (error) { /* private windows keep nothing */ }
  }

  if (remembered() === "dark" || remembered() === "light") { root.setAttribute("data-theme", remembered()); }
  input.addEventListener("input", show);
  document.getElementById("search-form").addEventListener("submit", function (event) { event.preventDefault(); });
  document.getElementById("theme").addEventListener("click", function () {
    var is_dark = root.getAttribute("data-theme") === "dark" ||
      (!root.getAttribute("data-theme") && window.matchMedia("(prefers-color-scheme: dark)").matches);
    setTheme(is_dark ? "light" : "dark");
  });
  function searchForAddress() {
    if (location.hash.indexOf(SEARCH_HASH) !== 0) { return; }
    try { input.value = decodeURIComponent(location.hash.slice(SEARCH_HASH.length)); } catch (error) { return; }
    show();
  }

  window.addEventListener("hashchange", searchForAddress);
  searchForAddress();
  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && document.activeElement !== input) { event.preventDefault(); input.focus(); }
  });
}());
