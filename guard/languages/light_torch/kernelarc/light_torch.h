// What a torch binding usually needs of torch, over torch's own C functions, without torch's headers.
//
// Parsing those takes most of a compile (nvcc reads them three times), and a typical source uses a
// handful of names. Whatever is not here does not compile, and is then compiled with torch's own
// headers instead. So nothing here may *differ* from torch: leave out what cannot be the same.
//
// The library exports `kernelarc_open`, `kernelarc_find` and `kernelarc_call`; who loads it is
// guard/torch_binding.py, which must agree with `Api` and `Value` below.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef KERNELARC_CUDA
#include <cuda_runtime.h>
#endif

namespace kernelarc_light {

// Torch's C functions, in the order in which they are handed over.
struct Api {
  int32_t (*get_data_ptr)(void*, void**);
  int32_t (*get_dim)(void*, int64_t*);
  int32_t (*get_numel)(void*, int64_t*);
  int32_t (*get_sizes)(void*, int64_t**);
  int32_t (*get_strides)(void*, int64_t**);
  int32_t (*get_dtype)(void*, int32_t*);
  int32_t (*get_device_type)(void*, int32_t*);
  int32_t (*get_device_index)(void*, int32_t*);
  int32_t (*is_contiguous)(void*, bool*);
  int32_t (*new_tensor_handle)(void*, void**);
  int32_t (*delete_tensor_object)(void*);
  int32_t (*empty_strided)(int64_t, const int64_t*, const int64_t*, int32_t, int32_t, int32_t, void**);
  int32_t (*zero_)(void*);
  int32_t (*get_current_cuda_stream)(int32_t, void**);
};

inline Api api{};

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void need(int32_t status, const char* what) {
  if (status != 0) throw Error(std::string("torch could not do ") + what);
}

#define KERNELARC_ASK(function, ...) ::kernelarc_light::need(::kernelarc_light::api.function(__VA_ARGS__), #function)

inline void append(std::string& text, const char* part) { text += part; }
inline void append(std::string& text, const std::string& part) { text += part; }
template <class T, class = std::enable_if_t<std::is_integral_v<T> && (sizeof(T) > 1)>>
void append(std::string& text, T part) { text += std::to_string(part); }

template <class... Parts>
[[noreturn]] void fail(const char* condition, const Parts&... parts) {
  std::string text;
  (append(text, parts), ...);
  if (text.empty()) text = std::string("Expected ") + condition + " to be true, but got false.";
  throw Error(text);
}

#define TORCH_CHECK(condition, ...) \
  do { if (!(condition)) ::kernelarc_light::fail(#condition, ##__VA_ARGS__); } while (0)

// Types of elements: the numbers are torch's.
enum class ScalarType : int8_t {
  Byte = 0, Char = 1, Short = 2, Int = 3, Long = 4, Half = 5, Float = 6, Double = 7, Bool = 11,
  BFloat16 = 15, Float8_e5m2 = 23, Float8_e4m3fn = 24,
};
using Dtype = ScalarType;

constexpr ScalarType kByte = ScalarType::Byte, kUInt8 = kByte;
constexpr ScalarType kChar = ScalarType::Char, kInt8 = kChar;
constexpr ScalarType kShort = ScalarType::Short, kInt16 = kShort;
constexpr ScalarType kInt = ScalarType::Int, kInt32 = kInt;
constexpr ScalarType kLong = ScalarType::Long, kInt64 = kLong;
constexpr ScalarType kHalf = ScalarType::Half, kFloat16 = kHalf;
constexpr ScalarType kFloat = ScalarType::Float, kFloat32 = kFloat;
constexpr ScalarType kDouble = ScalarType::Double, kFloat64 = kDouble;
constexpr ScalarType kBool = ScalarType::Bool;
constexpr ScalarType kBFloat16 = ScalarType::BFloat16;
constexpr ScalarType kFloat8_e5m2 = ScalarType::Float8_e5m2;
constexpr ScalarType kFloat8_e4m3fn = ScalarType::Float8_e4m3fn;

// Places to point at: no arithmetic, which torch's own have.
struct alignas(2) Half { uint16_t x; };
struct alignas(2) BFloat16 { uint16_t x; };
struct alignas(1) Float8_e5m2 { uint8_t x; };
struct alignas(1) Float8_e4m3fn { uint8_t x; };

template <class T> struct Kind;
template <> struct Kind<uint8_t> { static constexpr ScalarType value = kByte; };
template <> struct Kind<int8_t> { static constexpr ScalarType value = kChar; };
template <> struct Kind<int16_t> { static constexpr ScalarType value = kShort; };
template <> struct Kind<int32_t> { static constexpr ScalarType value = kInt; };
template <> struct Kind<int64_t> { static constexpr ScalarType value = kLong; };
template <> struct Kind<float> { static constexpr ScalarType value = kFloat; };
template <> struct Kind<double> { static constexpr ScalarType value = kDouble; };
template <> struct Kind<bool> { static constexpr ScalarType value = kBool; };
template <> struct Kind<Half> { static constexpr ScalarType value = kHalf; };
template <> struct Kind<BFloat16> { static constexpr ScalarType value = kBFloat16; };
template <> struct Kind<Float8_e5m2> { static constexpr ScalarType value = kFloat8_e5m2; };
template <> struct Kind<Float8_e4m3fn> { static constexpr ScalarType value = kFloat8_e4m3fn; };

inline size_t elementSize(ScalarType type) {
  switch (type) {
    case kByte: case kChar: case kBool: case kFloat8_e5m2: case kFloat8_e4m3fn: return 1;
    case kShort: case kHalf: case kBFloat16: return 2;
    case kInt: case kFloat: return 4;
    case kLong: case kDouble: return 8;
  }
  fail("", "elements of this type have no size here");
}

enum class DeviceType : int8_t { CPU = 0, CUDA = 1 };
using DeviceIndex = int8_t;
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA;

class Device {
 public:
  Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
  DeviceType type() const { return type_; }
  DeviceIndex index() const { return index_; }
  bool is_cuda() const { return type_ == kCUDA; }
  bool is_cpu() const { return type_ == kCPU; }
  bool operator==(const Device& other) const { return type_ == other.type_ && index_ == other.index_; }
  bool operator!=(const Device& other) const { return !(*this == other); }

 private:
  DeviceType type_;
  DeviceIndex index_;
};

class IntArrayRef {
 public:
  IntArrayRef() = default;
  IntArrayRef(const int64_t* data, size_t size) : data_(data), size_(size) {}
  IntArrayRef(const std::vector<int64_t>& all) : data_(all.data()), size_(all.size()) {}
  IntArrayRef(std::initializer_list<int64_t> all) : data_(all.begin()), size_(all.size()) {}
  const int64_t* begin() const { return data_; }
  const int64_t* end() const { return data_ + size_; }
  const int64_t* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t operator[](size_t at) const { return data_[at]; }
  int64_t front() const { return data_[0]; }
  int64_t back() const { return data_[size_ - 1]; }
  std::vector<int64_t> vec() const { return {begin(), end()}; }
  bool operator==(IntArrayRef o) const { return size_ == o.size_ && std::equal(begin(), end(), o.begin()); }
  bool operator!=(IntArrayRef o) const { return !(*this == o); }

 private:
  const int64_t* data_ = nullptr;
  size_t size_ = 0;
};

class TensorOptions {
 public:
  TensorOptions() = default;
  TensorOptions(ScalarType type) : type_(type) {}
  TensorOptions(Device device) : device_(device) {}
  TensorOptions(DeviceType device) : device_(device) {}
  TensorOptions dtype(ScalarType type) const { TensorOptions o = *this; o.type_ = type; return o; }
  TensorOptions device(Device device) const { TensorOptions o = *this; o.device_ = device; return o; }
  TensorOptions device(DeviceType type, DeviceIndex index = -1) const { return device(Device(type, index)); }
  ScalarType kind() const { return type_; }
  Device place() const { return device_; }

 private:
  ScalarType type_ = kFloat;
  Device device_{kCPU};
};

inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions device(Device device) { return TensorOptions(device); }

class Tensor {
 public:
  Tensor() = default;
  Tensor(const Tensor& other) { if (other.handle_) KERNELARC_ASK(new_tensor_handle, other.handle_, &handle_); }
  Tensor(Tensor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept { std::swap(handle_, other.handle_); return *this; }
  ~Tensor() { if (handle_) api.delete_tensor_object(handle_); }

  static Tensor borrowed(void* handle) { Tensor t; KERNELARC_ASK(new_tensor_handle, handle, &t.handle_); return t; }
  static Tensor owned(void* handle) { Tensor t; t.handle_ = handle; return t; }
  void* release() { return std::exchange(handle_, nullptr); }

  bool defined() const { return handle_ != nullptr; }
  void* data_ptr() const { void* data; KERNELARC_ASK(get_data_ptr, held(), &data); return data; }
  const void* const_data_ptr() const { return data_ptr(); }
  void* mutable_data_ptr() const { return data_ptr(); }
  template <class T>
  T* data_ptr() const {
    if (scalar_type() != Kind<std::remove_const_t<T>>::value)
      fail("", "expected elements of another type than this tensor has (type ", int(scalar_type()), ")");
    return static_cast<T*>(data_ptr());
  }
  template <class T> const T* const_data_ptr() const { return data_ptr<std::remove_const_t<T>>(); }
  template <class T> T* mutable_data_ptr() const { return data_ptr<T>(); }

  int64_t dim() const { int64_t n; KERNELARC_ASK(get_dim, held(), &n); return n; }
  int64_t ndimension() const { return dim(); }
  int64_t numel() const { int64_t n; KERNELARC_ASK(get_numel, held(), &n); return n; }
  IntArrayRef sizes() const { int64_t* all; KERNELARC_ASK(get_sizes, held(), &all); return {all, size_t(dim())}; }
  IntArrayRef strides() const { int64_t* all; KERNELARC_ASK(get_strides, held(), &all); return {all, size_t(dim())}; }
  int64_t size(int64_t at) const { return sizes()[wrapped(at)]; }
  int64_t stride(int64_t at) const { return strides()[wrapped(at)]; }
  bool is_contiguous() const { bool yes; KERNELARC_ASK(is_contiguous, held(), &yes); return yes; }
  // Inputs and outputs always are, and nothing here makes another kind.
  Tensor contiguous() const { if (!is_contiguous()) fail("", "not a contiguous tensor"); return *this; }

  ScalarType scalar_type() const { int32_t type; KERNELARC_ASK(get_dtype, held(), &type); return ScalarType(type); }
  ScalarType dtype() const { return scalar_type(); }
  size_t element_size() const { return elementSize(scalar_type()); }
  size_t itemsize() const { return element_size(); }
  size_t nbytes() const { return size_t(numel()) * element_size(); }
  Device device() const {
    int32_t type, index;
    KERNELARC_ASK(get_device_type, held(), &type);
    KERNELARC_ASK(get_device_index, held(), &index);
    return Device(DeviceType(type), DeviceIndex(index));
  }
  DeviceIndex get_device() const { return device().index(); }
  bool is_cuda() const { return device().is_cuda(); }
  bool is_cpu() const { return device().is_cpu(); }
  TensorOptions options() const { return TensorOptions(scalar_type()).device(device()); }
  const Tensor& zero_() const { KERNELARC_ASK(zero_, held()); return *this; }

 private:
  void* held() const { if (!handle_) fail("", "an undefined tensor was used"); return handle_; }
  size_t wrapped(int64_t at) const {
    const int64_t n = dim();
    if (at < -n || at >= n) fail("", "dimension ", at, " is out of range for a tensor with ", n, " of them");
    return size_t(at < 0 ? at + n : at);
  }
  void* handle_ = nullptr;
};

inline Tensor empty(IntArrayRef sizes, const TensorOptions& options = {}) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t at = sizes.size(); at-- > 1;) strides[at - 1] = strides[at] * std::max<int64_t>(sizes[at], 1);
  void* made;
  const Device place = options.place();
  int32_t index = place.is_cpu() ? -1 : place.index();
#ifdef KERNELARC_CUDA
  if (place.is_cuda() && index < 0) cudaGetDevice(&index);
#endif
  KERNELARC_ASK(empty_strided, int64_t(sizes.size()), sizes.data(), strides.data(), int32_t(options.kind()),
                int32_t(place.type()), index, &made);
  return Tensor::owned(made);
}
inline Tensor zeros(IntArrayRef sizes, const TensorOptions& options = {}) {
  Tensor made = empty(sizes, options);
  made.zero_();
  return made;
}
inline Tensor empty_like(const Tensor& like) { return empty(like.contiguous().sizes(), like.options()); }
inline Tensor empty_like(const Tensor& like, const TensorOptions& o) { return empty(like.contiguous().sizes(), o); }
inline Tensor zeros_like(const Tensor& like) { return zeros(like.contiguous().sizes(), like.options()); }

// The binding.
struct Value {
  int64_t kind;  // 0 tensor, 1 whole number, 2 number, 3 truth
  void* tensor;
  int64_t whole;
  double number;
};

template <class T> struct Argument;
template <> struct Argument<Tensor> {
  static Tensor of(const Value& v) { if (v.kind != 0) fail("", "a tensor is expected"); return Tensor::borrowed(v.tensor); }
};
template <> struct Argument<bool> {
  static bool of(const Value& v) { if (v.kind != 3) fail("", "a truth value is expected"); return v.whole != 0; }
};
template <> struct Argument<double> {
  static double of(const Value& v) {
    if (v.kind == 0) fail("", "a number is expected");
    return v.kind == 2 ? v.number : double(v.whole);
  }
};
template <> struct Argument<float> { static float of(const Value& v) { return float(Argument<double>::of(v)); } };
template <class T> struct WholeArgument {
  static T of(const Value& v) {
    if (v.kind != 1 && v.kind != 3) fail("", "a whole number is expected");
    if (v.whole < int64_t(std::numeric_limits<T>::min()) || v.whole > int64_t(std::numeric_limits<T>::max()))
      fail("", v.whole, " does not fit its parameter");
    return T(v.whole);
  }
};
template <> struct Argument<int32_t> : WholeArgument<int32_t> {};
template <> struct Argument<int64_t> : WholeArgument<int64_t> {};

inline void give(std::vector<void*>& results, Tensor tensor) { results.push_back(tensor.release()); }
inline void give(std::vector<void*>& results, std::vector<Tensor> all) { for (auto& t : all) give(results, t); }
template <class... Ts> void give(std::vector<void*>& results, std::tuple<Ts...> all) {
  static_assert((std::is_same_v<Ts, Tensor> && ...));
  std::apply([&](auto&... each) { (give(results, each), ...); }, all);
}

struct Function {
  std::string name;
  size_t arity;
  void* pointer;
  void (*invoke)(void*, const Value*, std::vector<void*>&);
};
inline std::vector<Function> functions;

template <class R, class... As, size_t... I>
void invoke(R (*pointer)(As...), const Value* v, std::vector<void*>& results, std::index_sequence<I...>) {
  if constexpr (std::is_void_v<R>) {
    pointer(Argument<std::decay_t<As>>::of(v[I])...);
  } else {
    give(results, pointer(Argument<std::decay_t<As>>::of(v[I])...));
  }
}

struct arg {
  explicit arg(const char*) {}
};

struct Module {
  const char* text = "";
  const char*& doc() { return text; }
  template <class F, class... Extras> Module& def(const char* name, F function, const Extras&...) {
    static_assert(((std::is_convertible_v<Extras, const char*> || std::is_same_v<Extras, arg>) && ...));
    return add(name, +function);
  }

 private:
  template <class R, class... As> Module& add(const char* name, R (*pointer)(As...)) {
    functions.push_back({name, sizeof...(As), reinterpret_cast<void*>(pointer),
                         [](void* kept, const Value* v, std::vector<void*>& results) {
                           kernelarc_light::invoke(reinterpret_cast<R (*)(As...)>(kept), v, results,
                                                   std::index_sequence_for<As...>{});
                         }});
    return *this;
  }
};

inline void tell(char* message, size_t room, const char* text) {
  std::strncpy(message, text, room - 1);
  message[room - 1] = 0;
}

// How many results there were, or -1 and a message.
inline int64_t call(int64_t at, const Value* values, int64_t count, void** results, int64_t room, char* message,
                    size_t message_room) {
  std::vector<void*> made;
  try {
    const Function& f = functions.at(size_t(at));
    if (count != int64_t(f.arity)) fail("", f.name, " takes ", f.arity, " arguments, and is given ", count);
    f.invoke(f.pointer, values, made);
    if (int64_t(made.size()) <= room) {
      std::copy(made.begin(), made.end(), results);
      return int64_t(made.size());
    }
    // In destination-passing style what comes back is not looked at.
    if (room > 0) fail("", "it returned ", made.size(), " tensors");
    for (void* each : made) api.delete_tensor_object(each);
    return 0;
  } catch (const std::exception& error) {
    tell(message, message_room, error.what());
  } catch (...) {
    tell(message, message_room, "it threw something that is no std::exception");
  }
  for (void* each : made) if (each) api.delete_tensor_object(each);
  return -1;
}

#define PYBIND11_MODULE(module_name, variable)                                                                  \
  static void kernelarc_define(::kernelarc_light::Module&);                                                 \
  extern "C" __attribute__((visibility("default"))) void kernelarc_open(const ::kernelarc_light::Api* api) { \
    ::kernelarc_light::api = *api;                                                                          \
    ::kernelarc_light::Module module;                                                                       \
    kernelarc_define(module);                                                                               \
  }                                                                                                         \
  extern "C" __attribute__((visibility("default"))) int64_t kernelarc_find(const char* wanted) {            \
    const auto& all = ::kernelarc_light::functions;                                                         \
    for (size_t at = all.size(); at-- > 0;) if (all[at].name == wanted) return int64_t(at);                 \
    return -1;                                                                                              \
  }                                                                                                         \
  extern "C" __attribute__((visibility("default"))) int64_t kernelarc_call(                                 \
      int64_t at, const ::kernelarc_light::Value* values, int64_t count, void** results, int64_t room,      \
      char* message, size_t message_room) {                                                                 \
    return ::kernelarc_light::call(at, values, count, results, room, message, message_room);                \
  }                                                                                                         \
  static void kernelarc_define(::kernelarc_light::Module& variable)

#ifdef KERNELARC_CUDA
inline void need_cuda(cudaError_t status) {
  if (status != cudaSuccess) throw Error(std::string("CUDA error: ") + cudaGetErrorString(status));
}
#define C10_CUDA_CHECK(expression) ::kernelarc_light::need_cuda(expression)
#define AT_CUDA_CHECK(expression) C10_CUDA_CHECK(expression)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())

namespace cuda {

class CUDAStream {
 public:
  explicit CUDAStream(cudaStream_t stream) : stream_(stream) {}
  cudaStream_t stream() const { return stream_; }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_;
};

inline CUDAStream getCurrentCUDAStream(DeviceIndex index = -1) {
  int place = index;
  if (place < 0) need_cuda(cudaGetDevice(&place));
  if (!api.get_current_cuda_stream) fail("", "this torch has no CUDA");
  void* stream;
  KERNELARC_ASK(get_current_cuda_stream, place, &stream);
  return CUDAStream(static_cast<cudaStream_t>(stream));
}

class CUDAGuard {
 public:
  explicit CUDAGuard(Device device) : CUDAGuard(device.index()) {}
  explicit CUDAGuard(DeviceIndex index) {
    need_cuda(cudaGetDevice(&before_));
    if (index >= 0 && index != before_) need_cuda(cudaSetDevice(index));
  }
  ~CUDAGuard() { cudaSetDevice(before_); }
  CUDAGuard(const CUDAGuard&) = delete;
  CUDAGuard& operator=(const CUDAGuard&) = delete;

 private:
  int before_ = 0;
};

}  // namespace cuda
#endif  // KERNELARC_CUDA

}  // namespace kernelarc_light

namespace torch = kernelarc_light;
namespace at = kernelarc_light;
namespace c10 = kernelarc_light;
namespace pybind11 = kernelarc_light;
namespace py = kernelarc_light;
